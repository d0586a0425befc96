import { CLOSE, type ClientFrame, type FrameOf, type FrameType, type ServerFrame, serverFrame } from '../../contract/frames.ts'
import { PERIODS } from '../../contract/limits.ts'
import { connectionStore } from './status.ts'

type Listener<T extends FrameType> = (data: FrameOf<T>['data']) => void

export interface Socket {
  /** Opens and keeps open until `close`. */
  open(): void
  close(): void
  /** Starts a new burst of attempts at once. */
  reconnect(): void
  /** False when not connected: a frame may be lost. */
  say(frame: ClientFrame): boolean
  on<T extends FrameType>(type: T, listener: Listener<T>): () => void
}

interface Options {
  url: () => string
  WebSocket?: typeof WebSocket
}

/**
 * One live socket. Five attempts at 3 s are a burst; then it rests until `reconnect`, `online` or focus.
 * A socket that stays silent for two heartbeats is taken for dead.
 */
export function createSocket({ url, WebSocket: Wire = WebSocket }: Options): Socket {
  const listeners = new Map<FrameType, Set<(data: never) => void>>()
  let ws: WebSocket | undefined
  let wanted = false
  let attempts = 0
  let retry: ReturnType<typeof setTimeout> | undefined
  let heartbeat: ReturnType<typeof setInterval> | undefined
  let heardAt = 0

  function connect() {
    clearTimeout(retry)
    if (!wanted || (ws && ws.readyState <= ws.OPEN)) return
    connectionStore.setState({ phase: 'connecting' })
    const socket = new Wire(url())
    ws = socket
    socket.onopen = () => {
      heardAt = Date.now()
      clearInterval(heartbeat)
      heartbeat = setInterval(() => beat(socket), PERIODS.heartbeatMs)
    }
    socket.onmessage = (event) => hear(String(event.data))
    socket.onclose = (event) => {
      if (ws === socket) lost(event.code)
    }
  }

  function lost(code: number) {
    ws = undefined
    clearInterval(heartbeat)
    if (!wanted) return
    if (code === CLOSE.signedOut) {
      wanted = false
      return
    }
    attempts += 1
    const rests = attempts >= PERIODS.reconnectAttempts
    connectionStore.setState({ phase: rests ? 'waiting' : 'connecting', ingress: null })
    if (!rests) retry = setTimeout(connect, PERIODS.reconnectMs)
  }

  function beat(socket: WebSocket) {
    if (Date.now() - heardAt > 2 * PERIODS.heartbeatMs + 5000) return socket.close()
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify({ type: 'ping', data: {} } satisfies ClientFrame))
  }

  function hear(text: string) {
    heardAt = Date.now()
    const frame = readFrame(text)
    if (!frame) return
    if (frame.type === 'hello') {
      attempts = 0
      const { ingress, onionAddress, serverTime } = frame.data
      connectionStore.setState({ phase: 'open', ingress, onionAddress, clockOffsetMs: Date.parse(serverTime) - Date.now() })
    }
    for (const listener of listeners.get(frame.type) ?? []) listener(frame.data as never)
  }

  function reconnect() {
    if (!wanted) return
    attempts = 0
    if (ws && ws.readyState === ws.OPEN && Date.now() - heardAt < PERIODS.heartbeatMs) return
    connect()
  }

  function on<T extends FrameType>(type: T, listener: Listener<T>) {
    const set = listeners.get(type) ?? new Set()
    listeners.set(type, set.add(listener as (data: never) => void))
    return () => void set.delete(listener as (data: never) => void)
  }

  /** Without a network the socket only seems to live: it is given up at once, and `online` makes the next one. */
  const giveUp = () => ws?.close()

  return {
    open() {
      wanted = true
      attempts = 0
      globalThis.addEventListener?.('online', reconnect)
      globalThis.addEventListener?.('offline', giveUp)
      globalThis.addEventListener?.('focus', reconnect)
      connect()
    },
    close() {
      wanted = false
      clearTimeout(retry)
      clearInterval(heartbeat)
      globalThis.removeEventListener?.('online', reconnect)
      globalThis.removeEventListener?.('offline', giveUp)
      globalThis.removeEventListener?.('focus', reconnect)
      ws?.close(CLOSE.normal)
      ws = undefined
      connectionStore.setState({ phase: 'connecting', ingress: null })
    },
    reconnect,
    say(frame) {
      if (ws?.readyState !== Wire.OPEN || connectionStore.getState().phase !== 'open') return false
      ws.send(JSON.stringify(frame))
      return true
    },
    on,
  }
}

/** A frame that this page does not know is passed over: a newer server may say more. */
function readFrame(text: string): ServerFrame | undefined {
  try {
    return serverFrame.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
