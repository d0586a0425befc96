import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** A line is no longer (haproxy's proxy-protocol.txt, section 2.1). */
const LINE_BYTES = 107
const LINE_MS = 10_000
/** The last 32 bits of the source name the circuit. */
const LINE = /^PROXY TCP6 fc00:dead:beef:4dad::([0-9a-f]{1,4}:[0-9a-f]{1,4}) ::1 \d{1,5} \d{1,5}\r\n$/

const circuits = new WeakMap<Socket, string>()

export const circuitOf = (connection: Socket): string | undefined => circuits.get(connection)

/** Reads tor's line before HTTP does. Whatever begins otherwise is closed without an answer. */
export function readProxyLines(server: Server, lineMs = LINE_MS): void {
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const timer = setTimeout(() => socket.destroy(), lineMs).unref()
    const drop = () => socket.destroy()
    let head = Buffer.alloc(0)
    const read = () => {
      const chunk: Buffer | null = socket.read()
      if (chunk === null) return
      head = Buffer.concat([head, chunk])
      const end = head.indexOf('\n') + 1
      if (end === 0 && head.length < LINE_BYTES) return
      const circuit = LINE.exec(head.subarray(0, Math.min(end, LINE_BYTES)).toString('latin1'))?.[1]
      if (circuit === undefined) return drop()
      forget()
      circuits.set(socket, circuit)
      if (end < head.length) socket.unshift(head.subarray(end))
      for (const listener of listeners) listener.call(server, socket)
    }
    const forget = () => {
      clearTimeout(timer)
      socket.off('readable', read).off('error', drop).off('end', drop).off('close', forget)
    }
    socket.on('readable', read).on('error', drop).on('end', drop).on('close', forget)
  })
}
