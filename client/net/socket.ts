import { CLOSE, type ClientFrame, type FrameType, type ServerData, type ServerFrame, serverFrame } from '../../contract/frames.ts'
import { PERIODS } from '../../contract/limits.ts'
import { type ConnectionState, connectionStore } from './status.ts'

type Listener<T extends FrameType> = (data: ServerData[T]) => void

export interface Socket {
  /** Opens and keeps open until `close`. */
  open(): void
  close(): void
  /** Starts a new burst of attempts at once: somebody asks for it, or is back at this page. */
  reconnect(): void
  /** The same because the server answers again; not where the server closed the socket on purpose. */
  retry(): void
  /** False when not connected: a frame may be lost. */
  send(frame: ClientFrame): boolean
  on<T extends FrameType>(type: T, listener: Listener<T>): () => void
}

interface Options {
  url: () => string
  WebSocket?: typeof WebSocket
}

/**
 * One live socket. Five attempts at 3 s are a burst; then it waits for `reconnect`, `online`, focus or a page that becomes visible.
 * A socket that the server closed in good order (1000), or because too many are open, waits at once.
 * A socket that stays silent for two heartbeats is taken for dead.
 */
export function createSocket({ url, WebSocket: Wire = WebSocket }: Options): Socket {
  const listeners = new Map<FrameType, Set<(data: never) => void>>()
  let ws: WebSocket | undefined
  let shouldConnect = false
  /** Reconnections of this burst; the first connection is none. */
  let attempts = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let heartbeat: ReturnType<typeof setInterval> | undefined
  let lastFrameAt = 0

  function connect() {
    clearTimeout(timer)
    if (!shouldConnect || (ws && ws.readyState <= ws.OPEN)) return
    connectionStore.setState({ phase: 'connecting', pause: null })
    const socket = new Wire(url())
    ws = socket
    socket.onopen = () => {
      lastFrameAt = Date.now()
      clearInterval(heartbeat)
      heartbeat = setInterval(() => beat(socket), PERIODS.heartbeatMs)
    }
    socket.onmessage = (event) => onText(String(event.data))
    socket.onclose = (event) => {
      if (ws === socket) lost(event.code)
    }
  }

  function lost(code: number) {
    ws = undefined
    clearInterval(heartbeat)
    if (!shouldConnect) return
    if (code === CLOSE.signedOut) {
      shouldConnect = false
      return
    }
    const pause = pauseAfter(code, attempts)
    connectionStore.setState({ phase: pause ? 'waiting' : 'connecting', pause, ingress: null })
    if (pause) return
    timer = setTimeout(() => {
      attempts += 1
      connect()
    }, PERIODS.reconnectMs)
  }

  function beat(socket: WebSocket) {
    if (Date.now() - lastFrameAt > 2 * PERIODS.heartbeatMs + 5000) return socket.close()
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify({ type: 'ping', data: {} } satisfies ClientFrame))
  }

  function onText(text: string) {
    lastFrameAt = Date.now()
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
    if (!shouldConnect) return
    if (ws?.readyState !== Wire.OPEN) attempts = 1
    connect()
  }

  function retry() {
    const { pause } = connectionStore.getState()
    if (pause === null || pause === 'unreachable') reconnect()
  }

  const onVisible = () => void (document.visibilityState === 'visible' && reconnect())

  function on<T extends FrameType>(type: T, listener: Listener<T>) {
    const set = listeners.get(type) ?? new Set()
    listeners.set(type, set.add(listener as (data: never) => void))
    return () => void set.delete(listener as (data: never) => void)
  }

  /** Without a network the socket only seems to live: it is given up at once, and `online` makes the next one. */
  const giveUp = () => ws?.close()

  return {
    open() {
      shouldConnect = true
      attempts = 0
      globalThis.addEventListener?.('online', reconnect)
      globalThis.addEventListener?.('offline', giveUp)
      globalThis.addEventListener?.('focus', reconnect)
      globalThis.document?.addEventListener('visibilitychange', onVisible)
      connect()
    },
    close() {
      shouldConnect = false
      clearTimeout(timer)
      clearInterval(heartbeat)
      globalThis.removeEventListener?.('online', reconnect)
      globalThis.removeEventListener?.('offline', giveUp)
      globalThis.removeEventListener?.('focus', reconnect)
      globalThis.document?.removeEventListener('visibilitychange', onVisible)
      ws?.close(CLOSE.normal)
      ws = undefined
      connectionStore.setState({ phase: 'connecting', pause: null, ingress: null })
    },
    reconnect,
    retry,
    send(frame) {
      if (ws?.readyState !== Wire.OPEN || connectionStore.getState().phase !== 'open') return false
      ws.send(JSON.stringify(frame))
      return true
    },
    on,
  }
}

/** Why no further attempt is made by itself after a socket closed with this code; null: one is. */
function pauseAfter(code: number, attempts: number): ConnectionState['pause'] {
  if (code === CLOSE.normal) return 'closed'
  if (code === CLOSE.tooManySockets) return 'too_many'
  return attempts >= PERIODS.reconnectAttempts ? 'unreachable' : null
}

/** A frame that this page does not know is passed over: a newer server may say more. */
function readFrame(text: string): ServerFrame | undefined {
  try {
    return serverFrame.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
