import { connect, type Socket } from 'node:net'

export interface Reply {
  status: number
  body: Buffer
}

/** A persistent HTTP/1.1 connection, which sends one request at a time. */
export interface Wire {
  ask(request: Buffer): Promise<Reply>
  close(): void
}

interface Asked {
  request: Buffer
  isAgain?: boolean
  resolve: (reply: Reply) => void
  reject: (error: Error) => void
}

/** Builds the bytes of a request once for many uses, so that measuring costs little. */
export function requestOf(method: string, path: string, cookie: string, body?: string): Buffer {
  const head = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    ...(cookie ? [`cookie: ${cookie}`] : []),
    ...(body === undefined ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`]),
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body ?? ''}`)
}

/**
 * Opens a connection to a server on loopback, and opens it again for a request after a pause in which the server has closed it. It
 * reads only responses with a Content-Length, which all measured servers send. An HTTP library would cost more than some of the
 * measured calls.
 */
export async function openWire(port: number): Promise<Wire> {
  const waiting: Asked[] = []
  let socket: Socket | undefined
  let parts: Buffer[] = []
  let receivedBytes = 0
  /** Length of head and body; 0 until the head has arrived. */
  let answerBytes = 0
  let headBytes = 0
  let status = 0
  let isClosed = false

  const fail = (error: Error) => {
    for (const asked of waiting.splice(0)) asked.reject(error)
  }

  function open(): Promise<Socket> {
    const opened = connect({ port, host: '127.0.0.1', noDelay: true })
    // A broken answer may have left some.
    parts = []
    receivedBytes = 0
    answerBytes = 0
    const end = (error: Error) => {
      if (socket !== opened) return
      const [asked] = waiting
      if (!asked || asked.isAgain || receivedBytes > 0 || isClosed) return fail(error)
      // It was written into a connection that the server was closing.
      asked.isAgain = true
      socket = undefined
      begin(asked.request).catch(fail)
    }
    opened.on('error', end)
    opened.on('close', () => end(new Error('The server closed the connection')))
    opened.on('data', (chunk) => {
      parts.push(chunk)
      receivedBytes += chunk.length
      if (answerBytes === 0) readHead()
      if (answerBytes > 0 && receivedBytes >= answerBytes) finish()
    })
    return new Promise((resolve, reject) => {
      opened.once('connect', () => resolve(opened))
      opened.once('error', reject)
    })
  }

  async function begin(request: Buffer): Promise<void> {
    if (!socket?.writable) {
      socket = undefined
      socket = await open()
    }
    socket.write(request)
  }

  const whole = (): Buffer => (parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts))

  function readHead(): void {
    const received = whole()
    const end = received.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = received.subarray(0, end).toString('latin1')
    const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? []
    status = Number(head.slice(9, 12))
    if (length === undefined && status !== 304) throw new Error(`An answer without a length: ${head}`)
    headBytes = end + 4
    answerBytes = headBytes + Number(length ?? 0)
  }

  function finish(): void {
    const reply = { status, body: whole().subarray(headBytes) }
    parts = []
    receivedBytes = 0
    answerBytes = 0
    waiting.shift()?.resolve(reply)
    const next = waiting[0]
    if (next) begin(next.request).catch(fail)
  }

  socket = await open()
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiting.push({ request, resolve, reject })
        if (waiting.length === 1) begin(request).catch(fail)
      }),
    close() {
      isClosed = true
      socket?.destroy()
    },
  }
}

/** Sends a request and returns its duration, in ms, and the body. Throws unless the status is 200. */
export async function timed(wire: Wire, request: Buffer): Promise<{ ms: number; body: Buffer }> {
  const startedAt = performance.now()
  const { status, body } = await wire.ask(request)
  const ms = performance.now() - startedAt
  if (status !== 200) throw new Error(`Answered ${status}: ${body.toString().slice(0, 300)}`)
  return { ms, body }
}
