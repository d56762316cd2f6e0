"""OpenStack Swift with its S3 API, for tests: all its servers in one process, with one copy of everything in a folder.

Prints its address when it can be used."""
import os
import sys

from swift.common import utils, wsgi

utils.eventlet_monkey_patch()  # before anything else is imported, so that the servers can wait for one another

import eventlet  # noqa: E402
from swift.common.ring import RingBuilder  # noqa: E402

folder = sys.argv[1]

SHARED = f"""
[DEFAULT]
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
"""
STORAGE = """
[pipeline:main]
pipeline = {kind}-server
[app:{kind}-server]
use = egg:swift#{kind}
"""
PROXY = f"""
[pipeline:main]
pipeline = catch_errors gatekeeper cache listing_formats s3api tempauth slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:cache]
# It must be configured, and need not answer.
use = egg:swift#memcache
memcache_servers = 127.0.0.1:9
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_waybill_waybill = {os.environ['WAYBILL_S3_SECRET_ACCESS_KEY']} .admin
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
"""


def write(name, text):
    with open(os.path.join(folder, name), 'w') as file:
        file.write(text)


def serve(name, settings, listener):
    write(f'{name}.conf', SHARED + settings)
    app = wsgi.loadapp(os.path.join(folder, f'{name}.conf'))
    return eventlet.spawn(eventlet.wsgi.server, listener, app, open(os.devnull, 'w'))


os.makedirs(os.path.join(folder, 'devices/one'))
write('swift.conf', '[swift-hash]\nswift_hash_path_suffix = test\n')
utils.set_swift_dir(folder)
listeners = {}
for kind in ('account', 'container', 'object'):
    listeners[kind] = eventlet.listen(('127.0.0.1', 0))
    ring = RingBuilder(part_power=4, replicas=1, min_part_hours=0)
    address = {'ip': '127.0.0.1', 'port': listeners[kind].getsockname()[1]}
    replication = {f'replication_{name}': value for name, value in address.items()}
    ring.add_dev({'id': 0, 'region': 1, 'zone': 1, 'weight': 1, 'device': 'one', **address, **replication})
    ring.rebalance()
    ring.get_ring().save(os.path.join(folder, f'{kind}.ring.gz'))
servers = [serve(kind, STORAGE.format(kind=kind), listener) for kind, listener in listeners.items()]
listener = eventlet.listen(('127.0.0.1', 0))
servers.append(serve('proxy', PROXY, listener))
print(f'http://127.0.0.1:{listener.getsockname()[1]}', flush=True)
for server in servers:
    server.wait()
