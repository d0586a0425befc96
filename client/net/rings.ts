import { RINGS_PATH, type ServerFrame, serverFrame } from '../../contract/frames.ts'
import { PERIODS } from '../../contract/ground/limits.ts'

/** Tells of rings while this browser is locked. Returns how to stop. */
export function hearRings(hear: (frame: ServerFrame) => void): () => void {
  let isStopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let socket: WebSocket | undefined
  function connect() {
    const address = new URL(RINGS_PATH, location.href)
    address.protocol = address.protocol.replace('http', 'ws')
    socket = new WebSocket(address)
    socket.onmessage = ({ data }) => {
      const { data: frame } = serverFrame.safeParse(parsed(data))
      if (frame && !isStopped) hear(frame)
    }
    socket.onclose = () => {
      if (!isStopped) timer = setTimeout(connect, PERIODS.reconnectMs)
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
