import { request } from 'node:http'
import { createApi } from '../client/net/api.ts'
import type { OpenWire } from './someone.ts'

/** The connection of one browser to a real server: its calls, and its uploads, which can break off. */
export interface Line {
  open: OpenWire
  cookie(): string
  /** The bytes that went out of each upload, in their order. */
  uploads: number[]
  /** Calls `then` when the upload of this index, from 0, has sent so many bytes, and sends no more of it; breaks it off without `then`. */
  stops(upload: number, afterBytes: number, then?: () => void): void
  /** The server answers the upload of this index, from 0, and the answer does not arrive. */
  losesAnswer(upload: number): void
  /** In place of the browser's own. */
  XMLHttpRequest: typeof XMLHttpRequest
}

/** Makes a connection to the server at this URL. */
export function newLine(url: string): Line {
  let cookie = ''
  const ends = new Map<number, { bytes: number; then: (() => void) | undefined }>()
  const lost = new Set<number>()
  const uploads: number[] = []

  /** What `client/net/transfer.ts` uses of an XMLHttpRequest. */
  class Transfer {
    upload: {
      onprogress?: (event: { loaded: number; total: number; lengthComputable: boolean }) => void
      onload?: () => void
    } = {}
    status = 0
    statusText = ''
    response: Blob | null = null
    onload?: () => void
    onerror?: () => void
    onabort?: () => void
    private place = ''
    private etag: string | null = null
    private headers: Record<string, string> = {}
    private call: ReturnType<typeof request> | undefined
    private isOver = false

    open(_: string, place: string): void {
      this.place = place
    }
    setRequestHeader(name: string, value: string): void {
      this.headers[name] = value
    }
    getResponseHeader(): string | null {
      return this.etag
    }
    abort(): void {
      this.end(() => this.onabort?.())
      this.call?.destroy()
    }
    send(body: Blob): void {
      void this.sendAll(body)
    }

    private end(tell: () => void): void {
      if (this.isOver) return
      this.isOver = true
      tell()
    }

    private async sendAll(body: Blob): Promise<void> {
      const at = uploads.push(0) - 1
      const end = ends.get(at)
      ends.delete(at)
      const upTo = end?.bytes ?? Number.POSITIVE_INFINITY
      const headers = { ...this.headers, origin: url, cookie, 'content-length': body.size }
      const call = request(url + this.place, { method: 'PUT', headers })
      this.call = call
      call.on('error', () => this.end(() => this.onerror?.()))
      call.on('response', (answer) => {
        const chunks: Uint8Array<ArrayBuffer>[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(Uint8Array.from(chunk)))
        answer.on('end', () => {
          if (lost.delete(at)) return this.end(() => this.onerror?.())
          this.status = answer.statusCode ?? 0
          this.etag = answer.headers.etag ?? null
          this.response = new Blob(chunks)
          this.end(() => this.onload?.())
        })
      })
      for (let from = 0; from < body.size && !this.isOver; ) {
        const to = Math.min(from + 64 * 1024, body.size, upTo)
        const chunk = new Uint8Array(await body.slice(from, to).arrayBuffer())
        if (chunk.length > 0) await new Promise<void>((resolve) => call.write(chunk, () => resolve()))
        uploads[at] = to
        this.upload.onprogress?.({ loaded: to, total: body.size, lengthComputable: true })
        if (end && to === upTo) return end.then ? end.then() : void call.destroy(new Error('The connection broke'))
        from = to
      }
      if (this.isOver) return
      call.end()
      this.upload.onload?.()
    }
  }

  return {
    uploads,
    cookie: () => cookie,
    losesAnswer: (upload) => void lost.add(upload),
    stops: (upload, bytes, then) => void ends.set(upload, { bytes, then }),
    XMLHttpRequest: Transfer as unknown as typeof XMLHttpRequest,
    open: () =>
      createApi({
        async fetch(path, { method = 'GET', body, headers }) {
          const sent = { ...Object.fromEntries(new Headers(headers)), origin: url, cookie }
          const answer = await fetch(url + path, { method, headers: sent, ...(body && { body }) })
          for (const line of answer.headers.getSetCookie()) if (line.includes('_session=')) cookie = line.split(';')[0] ?? ''
          return answer
        },
      }),
  }
}
