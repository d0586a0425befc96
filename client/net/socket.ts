import { CLOSE, type ClientFrame, type FrameType, type ServerData, type ServerFrame, serverFrame } from '../../contract/frames.ts'
import { PERIODS } from '../../contract/ground/limits.ts'
import { type ConnectionState, connectionStore } from './status.ts'

type Listener<T extends FrameType> = (data: ServerData[T]) => void

export interface Socket {
  open(): void
  close(): void
  reconnect(): void
  /** True: frames arrive, so nothing needs to be polled. */
  isAlive(): boolean
  /** Call it when calls are answered again. */
  retry(): void
  /** False: the frame is lost. */
  send(frame: ClientFrame): boolean
  on<T extends FrameType>(type: T, listener: Listener<T>): () => void
}

const ANSWER_MS = PERIODS.heartbeatMs + 5000
/** Hidden pages run timers every minute. */
const SILENCE_MS = 90_000

interface Options {
  url: () => string
  /** Signs for the session [Note: D4]. */
  prove: () => Promise<void>
  WebSocket?: typeof WebSocket
}

/**
 * Makes five attempts every 3 s, then waits for `reconnect`, `online`, focus or a visible page; at once after a normal close
 * (1000) or too many sockets.
 */
export function createSocket({ url, prove, WebSocket: Wire = WebSocket }: Options): Socket {
  const listeners = new Map<FrameType, Set<(data: never) => void>>()
  let ws: WebSocket | undefined
  let shouldConnect = false
  let attempts = 0
  /** No device need sign twice for one socket. */
  let hasSigned = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let heartbeat: ReturnType<typeof setInterval> | undefined
  let lastFrameAt = 0
  /** Time of the first unanswered ping. */
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
    if (code === CLOSE.deviceRequired) return void signFirst()
    const pause = pauseAfter(code, attempts)
    connectionStore.setState({ phase: pause ? 'waiting' : 'connecting', pause, ingress: null })
    if (pause) return
    timer = setTimeout(() => {
      attempts += 1
      connect()
    }, PERIODS.reconnectMs)
  }

  /** The server says hello and closes until a device has signed. */
  async function signFirst() {
    connectionStore.setState({ phase: 'connecting', pause: null, ingress: null })
    const isRefusedAgain = hasSigned
    hasSigned = true
    const isSigned =
      !isRefusedAgain &&
      (await prove().then(
        () => true,
        () => false,
      ))
    if (!shouldConnect || ws) return
    if (isSigned) connect()
    else connectionStore.setState({ phase: 'waiting', pause: 'unreachable' })
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

  /** Does not wait for the close, which may take long. */
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
      const { ingress, onionAddress, isTorRequired = false, serverTime } = frame.data
      const clockOffsetMs = Date.parse(serverTime) - Date.now()
      connectionStore.setState({ phase: 'open', ingress, onionAddress, isTorRequired, clockOffsetMs })
    } else hasSigned = false
    for (const listener of listeners.get(frame.type) ?? []) listener(frame.data as never)
  }

  function reconnect() {
    if (!shouldConnect) return
    if (ws?.readyState === Wire.OPEN && isSilent()) drop()
    if (ws?.readyState !== Wire.OPEN) attempts = 1
    hasSigned = false
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

  /** A socket without a network only seems alive. */
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

/** Returns null to go on. */
function pauseAfter(code: number, attempts: number): ConnectionState['pause'] {
  if (code === CLOSE.normal) return 'closed'
  if (code === CLOSE.tooManySockets) return 'too_many'
  return attempts >= PERIODS.reconnectAttempts ? 'unreachable' : null
}

/** A newer server may send unknown frames. */
function readFrame(text: string): ServerFrame | undefined {
  try {
    return serverFrame.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
