@SHELL_AS_STAGE_VERIFIER@
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends @VERIFIER_APT@ \
 && apt-get clean && rm -rf /var/lib/apt/lists/* && find /var/log -type f -delete
RUN python3 -m venv --copies --without-pip /opt/verifier \
 && dpkg -L @VERIFIER_PACKAGES@ | grep -E '^/usr/lib/python3/dist-packages/.*[.](py|typed|txt|json|lark)$' \
    | sed 's#^/usr/lib/python3/dist-packages/##' \
    | tar -C /usr/lib/python3/dist-packages -c -f - -T - \
    | tar -C /opt/verifier/lib/python3.11/site-packages -x -f - \
 && /opt/verifier/bin/python -I -m compileall -q /opt/verifier/lib \
 && /opt/verifier/bin/python -I -c 'import pytest, yaml' \
 && chown -R 0:0 /opt/verifier \
 && chmod -R go-w,a+rX /opt/verifier
@TOOLCHAIN@
COPY --from=verifier /opt/verifier /opt/verifier
WORKDIR /
RUN groupadd --gid 2000 sandbox \
 && useradd --uid 2000 --gid 2000 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin sandbox \
 && find / -xdev -type f -perm /6000 -exec chmod a-s {} + \
 && mkdir -p /outputs/workspace \
 && rmdir /workspace \
 && ln -s /outputs/workspace /workspace
