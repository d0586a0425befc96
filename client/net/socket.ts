import { CLOSE, type ClientFrame, type FrameType, type ServerData, type ServerFrame, serverFrame } from '../../contract/frames.ts'
import { PERIODS } from '../../contract/ground/limits.ts'
import { type ConnectionState, connectionStore } from './status.ts'

type Listener<T extends FrameType> = (data: ServerData[T]) => void

export interface Socket {
  /** Opens the socket and keeps it open until `close`. */
  open(): void
  close(): void
  /** Starts a new burst of attempts at once, when the person asks for it or returns to the page. */
  reconnect(): void
  /** True while frames arrive: what changes is heard, and nothing has to be asked for. */
  isAlive(): boolean
  /** Starts a new burst because the server answers calls again, unless the server has closed the socket on purpose. */
  retry(): void
  /** Sends a frame. Returns false if not connected: the frame is lost. */
  send(frame: ClientFrame): boolean
  on<T extends FrameType>(type: T, listener: Listener<T>): () => void
}

/** After this time an unanswered ping counts as lost. */
const ANSWER_MS = PERIODS.heartbeatMs + 5000
/** A connection may be silent for so long: browsers run the timers of hidden pages once a minute, so pings come no more often. */
const SILENCE_MS = 90_000

interface Options {
  url: () => string
  WebSocket?: typeof WebSocket
}

/**
 * Makes the page's live socket. A burst is five attempts at intervals of 3 s. Then the client waits for `reconnect`, `online`, focus
 * or a visible page. It waits at once if the server has closed the socket normally (1000) or because too many are open.
 * A socket counts as dead when a ping stays unanswered, and when nothing came for so long that this computer must have slept.
 */
export function createSocket({ url, WebSocket: Wire = WebSocket }: Options): Socket {
  const listeners = new Map<FrameType, Set<(data: never) => void>>()
  let ws: WebSocket | undefined
  let shouldConnect = false
  /** Reconnections of this burst, without the first connection. */
  let attempts = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let heartbeat: ReturnType<typeof setInterval> | undefined
  let lastFrameAt = 0
  /** When the first ping since the last frame was sent. */
  let askedAt: number | undefined

  function connect() {
    clearTimeout(timer)
    if (!shouldConnect || (ws && ws.readyState <= ws.OPEN)) return
    connectionStore.setState({ phase: 'connecting', pause: null })
    const socket = new Wire(url())
    ws = socket
    socket.onopen = () => {
      heard()
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
    if (isSilent()) return socket.close()
    if (socket.readyState !== socket.OPEN) return
    socket.send(JSON.stringify({ type: 'ping', data: {} } satisfies ClientFrame))
    askedAt ??= Date.now()
  }

  function heard() {
    lastFrameAt = Date.now()
    askedAt = undefined
  }

  const isSilent = () => Date.now() - (askedAt ?? Number.POSITIVE_INFINITY) > ANSWER_MS || Date.now() - lastFrameAt > SILENCE_MS

  /** Gives up a connection that has been silent, as after a sleep. Its close may take long, so it is not waited for. */
  function drop() {
    const dead = ws
    if (!dead) return
    ws = undefined
    dead.onmessage = null
    dead.close()
  }

  function onText(text: string) {
    heard()
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
    if (ws?.readyState === Wire.OPEN && isSilent()) drop()
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

  /** Closes the socket when the network is lost, because it would only seem alive. The event `online` opens the next one. */
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
    isAlive: () => ws?.readyState === Wire.OPEN && connectionStore.getState().phase === 'open' && !isSilent(),
    retry,
    send(frame) {
      if (ws?.readyState !== Wire.OPEN || connectionStore.getState().phase !== 'open') return false
      ws.send(JSON.stringify(frame))
      return true
    },
    on,
  }
}

/** The reason to stop reconnecting after a close with this code; null to go on. */
function pauseAfter(code: number, attempts: number): ConnectionState['pause'] {
  if (code === CLOSE.normal) return 'closed'
  if (code === CLOSE.tooManySockets) return 'too_many'
  return attempts >= PERIODS.reconnectAttempts ? 'unreachable' : null
}

/** Parses a frame. Returns undefined for an unknown one, which a newer server may send. */
function readFrame(text: string): ServerFrame | undefined {
  try {
    return serverFrame.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
