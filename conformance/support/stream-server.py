"""A WebSocket server (RFC 6455) out of Python's standard library: it reports what comes as JSON lines and does what lines on stdin say.

A path that begins with /echo is an agent of its own: what it hears is played back at once. /refuse answers 403.
"""
import asyncio, base64, hashlib, json, struct, sys

MAGIC = b'258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
connections = []


def report(**what):
    sys.stdout.write(json.dumps(what) + '\n')
    sys.stdout.flush()


class Connection:
    def __init__(self, number, path, reader, writer):
        self.number, self.path, self.reader, self.writer = number, path, reader, writer
        self.closing = False

    def send(self, opcode, payload):
        head = bytes([0x80 | opcode])
        if len(payload) < 126:
            head += bytes([len(payload)])
        elif len(payload) < 65536:
            head += bytes([126]) + struct.pack('!H', len(payload))
        else:
            head += bytes([127]) + struct.pack('!Q', len(payload))
        self.writer.write(head + payload)

    def say(self, frame):
        self.send(1, json.dumps(frame).encode())

    def close(self, code):
        self.closing = True
        self.send(8, struct.pack('!H', code))

    async def frame(self):
        first, second = await self.reader.readexactly(2)
        assert second & 0x80, 'RFC 6455 5.1: a client masks every frame'
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack('!H', await self.reader.readexactly(2))
        elif length == 127:
            (length,) = struct.unpack('!Q', await self.reader.readexactly(8))
        mask = await self.reader.readexactly(4)
        data = bytearray(await self.reader.readexactly(length))
        for at in range(length):
            data[at] ^= mask[at & 3]
        return first & 0x0F, bytes(data)

    async def run(self):
        code = 1006
        try:
            while True:
                opcode, data = await self.frame()
                if opcode == 1:
                    frame = json.loads(data)
                    report(type='frame', connection=self.number, frame=frame)
                    if self.path.startswith('/echo') and frame['event'] == 'media':
                        rate = int(self.path.split('rate=')[1])
                        media = {'contentType': 'audio/x-l16', 'sampleRate': rate, 'payload': frame['media']['payload']}
                        self.say({'event': 'playAudio', 'media': media})
                elif opcode == 2:
                    report(type='binary', connection=self.number, bytes=len(data))
                elif opcode == 8:
                    code = struct.unpack('!H', data[:2])[0] if len(data) >= 2 else 1005
                    if not self.closing:
                        self.send(8, data[:2])
                    break
                elif opcode == 9:
                    self.send(10, data)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        report(type='closed', connection=self.number, code=code)
        self.writer.close()


async def accept(reader, writer):
    head = (await reader.readuntil(b'\r\n\r\n')).decode('latin1').split('\r\n')
    path = head[0].split(' ')[1]
    headers = dict((name.lower(), value) for name, value in (line.split(': ', 1) for line in head[1:] if line))
    number = len(connections)
    report(type='asked', path=path, headers=headers)
    if path.startswith('/refuse'):
        writer.write(b'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
        writer.close()
        return
    accepted = base64.b64encode(hashlib.sha1(headers['sec-websocket-key'].encode() + MAGIC).digest()).decode()
    writer.write(
        ('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
         'Sec-WebSocket-Accept: ' + accepted + '\r\n\r\n').encode())
    connection = Connection(number, path, reader, writer)
    connections.append(connection)
    report(type='connected', connection=number, path=path)
    await connection.run()


def obey(line):
    order = json.loads(line)
    connection = connections[order['connection']]
    if order['do'] == 'say':
        connection.say(order['frame'])
    elif order['do'] == 'close':
        connection.close(order['code'])
    elif order['do'] == 'cut':
        connection.writer.transport.abort()


async def main():
    server = await asyncio.start_server(accept, '127.0.0.1', 0, limit=1 << 20)
    report(type='listening', port=server.sockets[0].getsockname()[1])
    loop = asyncio.get_running_loop()
    while True:
        line = await loop.run_in_executor(None, sys.stdin.readline)
        if line == '':
            break
        obey(line)


asyncio.run(main())
