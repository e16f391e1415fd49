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
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
      python-is-python3 python3-bs4 python3-dateutil python3-hypothesis python3-jinja2 python3-jsonschema \
      python3-lxml python3-markdown python3-packaging python3-pip python3-pytest python3-requests \
      python3-ruamel.yaml python3-setuptools python3-tomli-w python3-venv python3-wheel python3-yaml \
 && apt-get clean && rm -rf /var/lib/apt/lists/* && find /var/log -type f -delete
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
      miller python3-numpy python3-openpyxl python3-pandas \
 && apt-get clean && rm -rf /var/lib/apt/lists/* && find /var/log -type f -delete
RUN mkdir -p /workspace
WORKDIR /workspace
STOPSIGNAL SIGKILL
CMD ["sleep", "infinity"]
