import { CLOSE, type ClientFrame, type FrameType, type ServerData, type ServerFrame, serverFrame } from '../../contract/frames.ts'
import { PING_PAD, STEADY } from '../../contract/ground/steady.ts'
import { patience } from './patience.ts'
import { spread } from './pauses.ts'
import { type ConnectionState, connectionStore } from './status.ts'

type Listener<T extends FrameType> = (data: ServerData[T]) => void

export interface Socket {
  open(): void
  close(): void
  reconnect(): void
  /** True: frames arrive, so nothing needs to be polled. */
  isAlive(): boolean
  retry(): void
  steady(isOn: boolean): void
  /** When the server was last heard, in ms since 1970; 0 for never. */
  heardAt(): number
  /** False: the frame is lost. */
  send(frame: ClientFrame): boolean
  on<T extends FrameType>(type: T, listener: Listener<T>): () => void
}

/** Hidden pages run timers every minute. */
const SILENCE_MS = 90_000
const OPENS_MS = 6000
/** RFC 6455: closed without a close frame. */
const UNANSWERED = 1006

interface Options {
  url: () => string
  /** Signs for the session [Note: D4]. */
  prove: () => Promise<void>
  WebSocket?: typeof WebSocket
}

/**
 * Makes five attempts, each within 3 s, then waits for `retry`, `reconnect`, `online`, focus or a visible page; at once after a normal
 * close (1000) or too many sockets. On an onion origin they go on. After `come_back` only time or `reconnect` counts.
 */
export function createSocket({ url, prove, WebSocket: Wire = WebSocket }: Options): Socket {
  const listeners = new Map<FrameType, Set<(data: never) => void>>()
  let ws: WebSocket | undefined
  let shouldConnect = false
  let attempts = 0
  /** No device need sign twice for one socket. */
  let hasSigned = false
  let page: AbortController | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let heartbeat: ReturnType<typeof setInterval> | undefined
  let isSteady = false
  let lastFrameAt = 0
  let beganAt = 0
  let unansweredSince: number | undefined
  let comeBackMs = 0

  function connect() {
    clearTimeout(timer)
    if (!shouldConnect || (ws && ws.readyState <= ws.OPEN)) return
    connectionStore.setState({ phase: 'connecting', pause: null })
    const socket = new Wire(url())
    ws = socket
    comeBackMs = 0
    beganAt = Date.now()
    const { openMs } = patience()
    if (openMs > 0) timer = setTimeout(() => socket.close(), openMs)
    socket.onopen = () => {
      clearTimeout(timer)
      heard()
      startBeats()
    }
    socket.onmessage = (event) => onText(String(event.data))
    socket.onclose = (event) => {
      if (ws === socket) lost(event.code)
    }
  }

  function lost(code: number) {
    ws = undefined
    clearTimeout(timer)
    clearInterval(heartbeat)
    if (code === CLOSE.signedOut) shouldConnect = false
    if (!shouldConnect) return
    if (code === CLOSE.deviceRequired) return void signFirst()
    const pauseMs = comeBackMs || patience().pauseMs(attempts)
    const pause = pauseAfter(code) ?? (comeBackMs ? 'asked' : pauseMs ? null : 'unreachable')
    connectionStore.setState({ phase: pause ? 'waiting' : 'connecting', pause, ingress: null })
    if (pause && pause !== 'asked') return
    timer = setTimeout(() => {
      attempts += 1
      connect()
    }, pauseMs)
  }

  /** The server says hello and closes until a device has signed. */
  async function signFirst() {
    connectionStore.setState({ phase: 'connecting', pause: null, ingress: null })
    let isSigned = !hasSigned
    hasSigned = true
    if (isSigned)
      await prove().catch(() => {
        isSigned = false
      })
    if (!shouldConnect || ws) return
    if (isSigned) connect()
    else connectionStore.setState({ phase: 'waiting', pause: 'unreachable' })
  }

  function startBeats() {
    clearInterval(heartbeat)
    const isSeen = globalThis.document?.visibilityState !== 'hidden'
    heartbeat = setInterval(beat, isSteady && isSeen ? STEADY.pingMs : patience().beatMs)
  }

  function beat() {
    if (ws?.readyState !== Wire.OPEN) return
    if (isSilent()) return giveUp()
    ws.send(JSON.stringify({ type: 'ping', data: isSteady ? { pad: PING_PAD } : {} } satisfies ClientFrame))
    unansweredSince ??= Date.now()
  }

  function heard() {
    lastFrameAt = Date.now()
    unansweredSince = undefined
  }

  const isSilent = () =>
    Date.now() - (unansweredSince ?? Number.POSITIVE_INFINITY) > patience().answerMs || Date.now() - lastFrameAt > SILENCE_MS

  /** Does not wait for the close, which may take long. */
  function drop() {
    const dead = ws
    if (!dead) return
    ws = undefined
    dead.onmessage = null
    dead.onopen = null
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
    if (frame.type === 'come_back') comeBackMs = spread(frame.data.seconds * 1000)
    for (const listener of listeners.get(frame.type) ?? []) listener(frame.data as never)
  }

  function reconnect() {
    if (!shouldConnect) return
    const isStuck = ws?.readyState === Wire.CONNECTING && patience().openMs > 0 && Date.now() - beganAt > OPENS_MS
    if (isStuck || (ws?.readyState === Wire.OPEN && isSilent())) drop()
    if (ws?.readyState !== Wire.OPEN) attempts = 1
    hasSigned = false
    connect()
  }

  function retry() {
    const { pause } = connectionStore.getState()
    const tried = attempts
    // A slow socket may still open.
    if ((pause === null || pause === 'unreachable') && ws?.readyState !== Wire.CONNECTING) reconnect()
    attempts = tried
  }

  function onReturn() {
    if (comeBackMs === 0) reconnect()
  }

  function onVisible() {
    // A restart delays the next ping.
    if (isSteady && ws?.readyState === Wire.OPEN) startBeats()
    if (document.visibilityState === 'visible') onReturn()
  }

  function on<T extends FrameType>(type: T, listener: Listener<T>) {
    const set = listeners.get(type) ?? new Set()
    listeners.set(type, set.add(listener as (data: never) => void))
    return () => void set.delete(listener as (data: never) => void)
  }

  /** A dead line answers no close. */
  function giveUp() {
    if (!ws) return
    drop()
    lost(UNANSWERED)
  }

  return {
    open() {
      shouldConnect = true
      attempts = 0
      page = new AbortController()
      globalThis.addEventListener?.('online', onReturn, page)
      globalThis.addEventListener?.('offline', giveUp, page)
      globalThis.addEventListener?.('focus', onReturn, page)
      globalThis.document?.addEventListener('visibilitychange', onVisible, page)
      connect()
    },
    close() {
      shouldConnect = false
      isSteady = false
      clearTimeout(timer)
      clearInterval(heartbeat)
      page?.abort()
      ws?.close(CLOSE.normal)
      ws = undefined
      connectionStore.setState({ phase: 'connecting', pause: null, ingress: null })
    },
    reconnect,
    isAlive: () => ws?.readyState === Wire.OPEN && connectionStore.getState().phase === 'open' && !isSilent(),
    retry,
    steady(isOn) {
      isSteady = isOn
      if (ws?.readyState === Wire.OPEN) startBeats()
    },
    heardAt: () => lastFrameAt,
    send(frame) {
      if (ws?.readyState !== Wire.OPEN || connectionStore.getState().phase !== 'open') return false
      ws.send(JSON.stringify(frame))
      return true
    },
    on,
  }
}

/** Returns null to go on. */
function pauseAfter(code: number): ConnectionState['pause'] {
  if (code === CLOSE.normal) return 'closed'
  return code === CLOSE.tooManySockets ? 'too_many' : null
}

/** A newer server may send unknown frames. */
function readFrame(text: string): ServerFrame | undefined {
  try {
    return serverFrame.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
