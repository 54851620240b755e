#!/bin/sh
# certificates.sh DIRECTORY NAME=ADDRESS …: make an authority and a certificate for each database machine, ten years
# valid. Machines of the cluster know each other by them. Keep ca.key offline: who has it can join the cluster.
set -eu
umask 077
mkdir -p "$1"
cd "$1"
shift
key="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
[ -f ca.key ] || openssl req -x509 $key -days 3650 -subj "/CN=fueldepot databases" -keyout ca.key -out ca.crt
for machine in "$@"; do
    name=${machine%%=*}
    openssl req $key -subj "/CN=$name" -keyout "$name.key" -out "$name.csr"
    printf 'subjectAltName=DNS:%s,IP:%s\nextendedKeyUsage=serverAuth,clientAuth\n' "$name" "${machine#*=}" > "$name.ext"
    openssl x509 -req -in "$name.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 3650 -extfile "$name.ext" -out "$name.crt"
    rm "$name.csr" "$name.ext"
done 2>/dev/null
