import { Agent, request } from 'node:http'

export interface Answer {
  status: number
  body: unknown
  /** The Retry-After header, in seconds; undefined without one. */
  retryAfter: number | undefined
}

export interface Asking {
  method: string
  path: string
  cookie?: string
  body?: unknown
}

/** Timeout of a request, longer than the server waits for its database. */
const ANSWER_MS = 35_000

const agent = new Agent({ keepAlive: true, maxSockets: 1000, maxFreeSockets: 256 })

/** Sends one request over loopback. Returns undefined if the connection broke or timed out: the request may have succeeded or not. */
export function ask(port: number, { method, path, cookie, body }: Asking): Promise<Answer | undefined> {
  const bytes = body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const headers = {
    ...(cookie && { cookie }),
    ...(bytes && { 'content-type': 'application/json', 'content-length': bytes.length }),
  }
  return new Promise((resolve) => {
    const asking = request({ host: '127.0.0.1', port, method, path, headers, agent, timeout: ANSWER_MS }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('error', () => resolve(undefined))
      response.on('close', () => {
        if (!response.complete) return resolve(undefined)
        const { statusCode = 0, headers } = response
        const retryAfter = headers['retry-after'] === undefined ? undefined : Number(headers['retry-after'])
        resolve({ status: statusCode, body: parse(text), retryAfter })
      })
    })
    asking.on('timeout', () => asking.destroy())
    asking.on('error', () => resolve(undefined))
    asking.end(bytes)
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
