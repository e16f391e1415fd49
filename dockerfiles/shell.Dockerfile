FROM @BASE@
ENV LANG=C.UTF-8
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
      bash bc bsdextrautils bzip2 ca-certificates coreutils curl diffutils dos2unix file findutils gawk \
      gettext-base git grep gzip jq less libfaketime libxml2-utils locales make openssl patch perl-base procps python3 \
      ripgrep rsync sed shellcheck sqlite3 tar tree tzdata unzip xxd xz-utils zip zstd \
 && localedef -i en_US -f UTF-8 en_US.UTF-8 \
 && localedef -i de_DE -f UTF-8 de_DE.UTF-8 \
 && apt-get clean && rm -rf /var/lib/apt/lists/* && find /var/log -type f -delete
RUN mkdir -p /workspace
WORKDIR /workspace
STOPSIGNAL SIGKILL
CMD ["sleep", "infinity"]
