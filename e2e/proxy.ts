import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import WebSocket, { WebSocketServer } from 'ws'

/** What the server answers to a call whose answer is JSON. */
export interface Answer {
  status: number
  body: unknown
}

export type Frame = { type: string; data: Record<string, unknown> }

/** How a server lies. Every field is optional; what a field does not change passes as the server said it. */
export interface Lie {
  /** The answer to a call that the server never sees; undefined: it sees it. */
  withholds?(call: string): Answer | undefined
  /** Another answer to a call, such as `GET /api/user`; undefined: the true one. */
  answer?(call: string, answer: Answer): Answer | undefined
  /** A page of the liar's own, by a call that the server never sees; undefined: it sees it. */
  ownPage?(call: string): string | undefined
  /** Another HTML of every page. */
  page?(html: string): string
  /** The frame that comes instead; undefined: none. */
  frame?(frame: Frame): Frame | undefined
  /** Headers beside the true ones of the answer to a call. */
  headers?(call: string): OutgoingHttpHeaders | undefined
  /** True for calls that are not answered while the lie lasts. They reach the server when it ends. */
  isSilent?(call: string): boolean
}

/** A server between browsers and the real one that tells lies. Without a lie everything passes unaltered. */
export interface LyingProxy {
  url: string
  /** Where the real server listens. */
  leadsTo(serverUrl: string): void
  /** Lies to everybody, or to the browser with this session cookie, until `tellsTruth`. */
  lies(lie: Lie, toCookie?: string): void
  tellsTruth(): void
  /** When each of these calls came, in ms. */
  timesOf(call: string): number[]
  stop(): Promise<void>
}

export async function startProxy(): Promise<LyingProxy> {
  let target = ''
  let told: { lie: Lie; toCookie: string | undefined } | undefined
  const calls: { call: string; at: number }[] = []
  const held: (() => void)[] = []
  const sockets = new Set<Duplex>()

  const lieTo = ({ headers }: IncomingMessage): Lie | undefined =>
    told && (told.toCookie === undefined || headers.cookie?.includes(told.toCookie)) ? told.lie : undefined

  // A test that has waited must not write to a connection that is being closed.
  const server = createServer({ keepAliveTimeout: 0 }, (from, to) => {
    const call = `${from.method} ${from.url?.split('?')[0]}`
    calls.push({ call, at: performance.now() })
    // What a held call brings is read now: its connection may be closed by then.
    const body = readAll(from)
    // A browser that is killed in the middle takes its call with it.
    const onceRead = (work: (bytes: Buffer) => void) => void body.then(work, () => undefined)
    const forward = () =>
      onceRead((bytes) =>
        passOn(target, from, to, bytes, {
          answer: (answer) => lieTo(from)?.answer?.(call, answer),
          page: lieTo(from)?.page,
          headers: lieTo(from)?.headers?.(call) ?? {},
        }),
      )
    const withheld = lieTo(from)?.withholds?.(call)
    const own = lieTo(from)?.ownPage?.(call)
    if (own !== undefined) onceRead(() => to.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(own))
    else if (withheld) onceRead(() => answerJson(to, withheld))
    else if (lieTo(from)?.isSilent?.(call)) held.push(forward)
    else forward()
  })
  const pages = new WebSocketServer({ noServer: true })
  server.on('upgrade', (from, socket, head) => {
    const { host, cookie, origin } = from.headers
    const forwardedFor = from.headers['x-forwarded-for']
    const headers = {
      ...{ host, origin },
      ...(cookie && { cookie }),
      ...(forwardedFor && { 'x-forwarded-for': forwardedFor }),
    }
    const real = new WebSocket(`${target.replace('http', 'ws')}${from.url}`, { headers })
    real.once('unexpected-response', (_request, { statusCode }) => socket.end(`HTTP/1.1 ${statusCode} Refused\r\n\r\n`))
    real.once('error', () => socket.destroy())
    real.once('open', () =>
      pages.handleUpgrade(from, socket, head, (page) => join(page, real, (frame) => answerFrame(lieTo(from), frame))),
    )
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    leadsTo(serverUrl) {
      target = serverUrl
    },
    lies(lie, toCookie) {
      told = { lie, toCookie }
    },
    tellsTruth() {
      told = undefined
      for (const forward of held.splice(0)) forward()
    },
    timesOf: (call) => calls.filter((each) => each.call === call).map(({ at }) => at),
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

const answerFrame = (lie: Lie | undefined, frame: Frame): Frame | undefined => (lie?.frame ? lie.frame(frame) : frame)

function answerJson(to: ServerResponse, { status, body }: Answer, headers: OutgoingHttpHeaders = {}): void {
  const bytes = Buffer.from(JSON.stringify(body))
  to.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers, 'content-length': bytes.length })
  to.end(bytes)
}

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Hands a call to the real server and answers what it says, or what the lie makes of it. */
function passOn(
  target: string,
  from: IncomingMessage,
  to: ServerResponse,
  bytes: Buffer,
  altered: { answer: (answer: Answer) => Answer | undefined; page: Lie['page']; headers: OutgoingHttpHeaders },
): void {
  const { method, url } = from
  // A tag would bring "unchanged" instead of an answer that can be altered, and would keep a lie beyond its time.
  const { 'if-none-match': _, ...headers } = from.headers
  // A page is altered as text.
  if (altered.page) headers['accept-encoding'] = 'identity'
  const real = request(target + url, { method, headers }, (said) => {
    const { 'content-type': type = '' } = said.headers
    const { page } = altered
    if (page && type.startsWith('text/html')) {
      const { 'content-length': _, ...heads } = said.headers
      void readAll(said).then((html) => to.writeHead(said.statusCode ?? 502, heads).end(page(html.toString())))
      return
    }
    if (!type.startsWith('application/json')) {
      to.writeHead(said.statusCode ?? 502, said.headers)
      said.pipe(to)
      return
    }
    void readAll(said).then((text) => {
      const told = { status: said.statusCode ?? 502, body: JSON.parse(text.toString() || 'null') }
      const { etag: _, ...heads } = said.headers
      answerJson(to, altered.answer(told) ?? told, { ...heads, ...altered.headers })
    })
  })
  // The test has killed the server, or the page is gone.
  real.on('error', () => to.destroy())
  real.end(bytes)
}

/** Joins a page's socket and the server's, until one of them closes. */
function join(page: WebSocket, real: WebSocket, altered: (frame: Frame) => Frame | undefined): void {
  real.on('message', (text) => {
    const frame = altered(JSON.parse(String(text)))
    if (frame) page.send(JSON.stringify(frame))
  })
  page.on('message', (text) => real.send(String(text)))
  // 1005 and 1006 say that nothing was said: they cannot be sent.
  const close = (other: WebSocket) => (code: number) => (code > 1004 && code < 1007 ? other.terminate() : other.close(code))
  page.on('close', close(real))
  real.on('close', close(page))
  page.on('error', () => real.terminate())
}
