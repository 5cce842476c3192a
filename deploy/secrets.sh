#!/bin/sh
# Draws a password for each user of users.acl, and writes what each process is told:
#
#     sh deploy/secrets.sh [FOLDER] [HOST:PORT]
#
#   FOLDER/users.acl       the access list with the passwords' SHA-256, for the server
#   FOLDER/api.env …       TOCSIN_REDIS_URL with the password, for one process each; mode 600
#
# FOLDER is deploy/secrets, HOST:PORT is store:6379 where nothing is said. A folder that has secrets is left alone.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/secrets}
server=${2:-store:6379}

if [ -e "$folder/users.acl" ]; then
    echo "secrets.sh: $folder has secrets; move them away first to draw new ones" >&2
    exit 1
fi
umask 077
mkdir -p "$folder"
list=$folder/users.acl.new
cp "$here/users.acl" "$list"

for process in api worker sweeper operator scaler; do
    password=$(openssl rand -hex 32)
    digest=$(printf %s "$password" | openssl dgst -sha256 -r | cut -d ' ' -f 1)
    sed "s/^user tocsin-$process on /&#$digest /" "$list" >"$list.next"
    mv "$list.next" "$list"
    if [ "$process" = scaler ]; then
        printf 'username=tocsin-scaler\npassword=%s\n' "$password" >"$folder/scaler.env"
    else
        printf 'TOCSIN_REDIS_URL=redis://tocsin-%s:%s@%s/0\n' "$process" "$password" "$server" >"$folder/$process.env"
    fi
done

# The server runs as another user and must read the list, from which no password can be told.
chmod 644 "$list"
mv "$list" "$folder/users.acl"
echo "secrets.sh: wrote $folder"
