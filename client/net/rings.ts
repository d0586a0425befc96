import { CLOSE, RINGS_PATH, type ServerFrame, serverFrame } from '../../contract/frames.ts'
import { pauseMs, spread } from './pauses.ts'

/** Tells of rings while this browser is locked. Returns how to stop. */
export function hearRings(hear: (frame: ServerFrame) => void): () => void {
  let isStopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let socket: WebSocket | undefined
  let tries = 0
  let comeBackMs = 0
  function connect() {
    const address = new URL(RINGS_PATH, location.href)
    address.protocol = address.protocol.replace('http', 'ws')
    socket = new WebSocket(address)
    comeBackMs = 0
    socket.onmessage = ({ data }) => {
      const { data: frame } = serverFrame.safeParse(parsed(data))
      if (frame?.type === 'come_back') comeBackMs = spread(frame.data.seconds * 1000)
      else if (frame && !isStopped) hear(frame)
    }
    socket.onopen = () => {
      tries = 0
    }
    socket.onclose = ({ code }) => {
      if (isStopped || code === CLOSE.signedOut || code === CLOSE.tooManySockets) return
      timer = setTimeout(connect, comeBackMs || pauseMs(tries++))
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
