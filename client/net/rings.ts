import { CLOSE, RINGS_PATH, type ServerFrame, serverFrame } from '../../contract/frames.ts'
import { PERIODS } from '../../contract/ground/limits.ts'

/** A browser may stay locked for days. It rings for longer. */
const WAIT_MAX_MS = 30_000

/** Tells of rings while this browser is locked. Returns how to stop. */
export function hearRings(hear: (frame: ServerFrame) => void): () => void {
  let isStopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let socket: WebSocket | undefined
  let waitMs: number = PERIODS.reconnectMs
  function connect() {
    const address = new URL(RINGS_PATH, location.href)
    address.protocol = address.protocol.replace('http', 'ws')
    socket = new WebSocket(address)
    socket.onmessage = ({ data }) => {
      const { data: frame } = serverFrame.safeParse(parsed(data))
      if (frame && !isStopped) hear(frame)
    }
    socket.onopen = () => {
      waitMs = PERIODS.reconnectMs
    }
    socket.onclose = ({ code }) => {
      if (isStopped || code === CLOSE.signedOut || code === CLOSE.tooManySockets) return
      timer = setTimeout(connect, waitMs)
      waitMs = Math.min(waitMs * 2, WAIT_MAX_MS)
    }
  }
  connect()
  return () => {
    isStopped = true
    clearTimeout(timer)
    socket?.close()
  }
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}
