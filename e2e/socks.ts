import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'

/** A SOCKS proxy (version 5, RFC 1928) that stands between a browser and tor. */
export interface Socks {
  port: number
  /** Every host and port that was asked for, each once. */
  asked(): string[]
  /** Of what has come from tor. */
  receivedBytes(): number
  stop(): Promise<void>
}

type Dials = (host: string, port: number) => Promise<Socket>

const CONNECT = 1
const [IPV4, NAME, IPV6] = [1, 3, 4]
const [DONE, REFUSED, HOST_UNREACHABLE] = [0, 2, 4]

/**
 * Leads to onion services by `dials`. Whatever else is asked for is noted too, and refused. `latencyMs`: how much longer each way takes, as
 * through relays of the world.
 */
export async function startSocks(dials: Dials, { latencyMs = 0 } = {}): Promise<Socks> {
  const asked = new Set<string>()
  let received = 0
  const notes = { asks: (what: string) => void asked.add(what), gets: (sizeBytes: number) => (received += sizeBytes) }
  const open = new Set<Socket>()
  const server = createServer((from) => {
    open.add(from)
    from.once('close', () => open.delete(from))
    from.on('error', () => from.destroy())
    void serve(from, { dials, latencyMs, ...notes }).catch(() => from.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    asked: () => [...asked],
    receivedBytes: () => received,
    async stop() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}

interface Way {
  dials: Dials
  latencyMs: number
  asks(what: string): void
  gets(sizeBytes: number): void
}

async function serve(from: Socket, { dials, latencyMs, asks, gets }: Way): Promise<void> {
  const [, methods = 0] = await take(from, 2)
  await take(from, methods)
  from.write(Buffer.from([5, 0]))
  const [, command, , kind] = await take(from, 4)
  const host = await readHost(from, kind)
  const port = (await take(from, 2)).readUInt16BE()
  const answer = (code: number) => from.write(Buffer.from([5, code, 0, IPV4, 0, 0, 0, 0, 0, 0]))
  asks(`${command === CONNECT ? '' : `${command} `}${host}:${port}`)
  if (command !== CONNECT || !host.endsWith('.onion')) {
    answer(REFUSED)
    from.end()
    return
  }
  const to = await dials(host, port).catch(() => undefined)
  answer(to ? DONE : HOST_UNREACHABLE)
  if (!to) {
    from.end()
    return
  }
  // A pipe passes on an end, not a failure.
  for (const [one, other] of [
    [from, to],
    [to, from],
  ] as const)
    one.on('error', () => other.destroy())
  to.on('data', ({ length }) => gets(length))
  if (latencyMs === 0) from.pipe(to).pipe(from)
  else from.pipe(later(latencyMs)).pipe(to).pipe(later(latencyMs)).pipe(from)
}

/** Passes each piece on after this time. */
function later(ms: number): Transform {
  const stream = new Transform({
    transform(chunk, _encoding, done) {
      setTimeout(() => stream.destroyed || stream.push(chunk), ms)
      done()
    },
    flush: (done) => void setTimeout(done, ms),
  })
  return stream
}

async function readHost(from: Socket, kind = 0): Promise<string> {
  if (kind === NAME) return (await take(from, (await take(from, 1))[0] ?? 0)).toString()
  if (kind === IPV4) return [...(await take(from, 4))].join('.')
  if (kind === IPV6) return `[${(await take(from, 16)).toString('hex').replace(/(.{4})(?!$)/g, '$1:')}]`
  throw new Error(`An address of kind ${kind}`)
}

/** Asks a SOCKS proxy for a host by name. */
export async function dialBy(proxy: Socket, host: string, port: number): Promise<Socket> {
  await once(proxy, 'connect')
  proxy.write(Buffer.from([5, 1, 0]))
  await take(proxy, 2)
  const name = Buffer.from(host)
  proxy.write(Buffer.concat([Buffer.from([5, CONNECT, 0, NAME, name.length]), name, Buffer.from([port >> 8, port & 255])]))
  const [, code, , kind] = await take(proxy, 4)
  // Of no use: tor makes zeros of it.
  await readHost(proxy, kind)
  await take(proxy, 2)
  if (code === DONE) return proxy
  proxy.destroy()
  throw new Error(`${host} is not reached: ${code}`)
}

/** Reads so many bytes, and leaves the rest. */
async function take(from: Socket, sizeBytes: number): Promise<Buffer> {
  for (;;) {
    const read: Buffer | null = from.read(sizeBytes)
    if (read) return read
    if (from.readableEnded || from.destroyed) throw new Error('The connection was closed')
    await Promise.race([once(from, 'readable'), once(from, 'end'), once(from, 'close')])
  }
}
