import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'

/** A page of any engine. */
interface Evaluates {
  evaluate<A, R>(run: (argument: A) => R | Promise<R>, argument: A): Promise<R>
}

export interface BareServer {
  url: string
  port: number
  close(): Promise<void>
}

export interface BareSettings {
  config?: RTCConfiguration
  hasVideo?: boolean
}

/** A server of an empty page, which passes on what two such pages say to each other: the least that a call needs. */
export async function startBareServer(): Promise<BareServer> {
  const server = createServer((_, to) => to.setHeader('content-type', 'text/html').end('<!doctype html><title>Bare</title>'))
  const pages = new WebSocketServer({ server })
  pages.on('connection', (one) =>
    one.on('message', (text) => {
      for (const other of pages.clients) if (other !== one) other.send(String(text))
    }),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}/`,
    port,
    async close() {
      for (const page of pages.clients) page.terminate()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Two pages of that server call each other by a bare RTCPeerConnection. Returns when it began, in ms since 1970. */
export async function callBare(caller: Evaluates, callee: Evaluates, settings: BareSettings = {}): Promise<number> {
  await caller.evaluate(join, { ...settings, isCaller: true })
  await callee.evaluate(join, { ...settings, isCaller: false })
  return callee.evaluate(accept, undefined)
}

declare global {
  var accepts: (() => Promise<void>) | undefined
}

/** Runs in the callee's page: what a press of Accept does. */
async function accept(): Promise<number> {
  const at = performance.timeOrigin + performance.now()
  await globalThis.accepts?.()
  return at
}

/** Runs in the page. The caller has its devices; the callee opens them on Accept. */
async function join({ config, hasVideo = false, isCaller }: BareSettings & { isCaller: boolean }): Promise<void> {
  const peer = new RTCPeerConnection(config)
  const socket = new WebSocket(location.href.replace('http', 'ws'))
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  const say = (what: object) => socket.send(JSON.stringify(what))
  const early: RTCIceCandidateInit[] = []
  const open = async () => {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true, video: hasVideo && { width: 1280, height: 720 } })
    for (const track of stream.getTracks()) peer.addTrack(track, stream)
  }
  peer.addEventListener('icecandidate', ({ candidate }) => candidate && say({ candidate }))
  peer.addEventListener('track', ({ track, streams: [stream] }) => {
    const element = document.createElement(track.kind === 'video' ? 'video' : 'audio')
    Object.assign(element, { autoplay: true, muted: track.kind === 'video', srcObject: stream })
    document.body.append(element)
  })
  let [turn, opening] = [Promise.resolve(), Promise.resolve()]
  const hear = async ({ accepted, description, candidate }: Record<string, never>) => {
    if (accepted) {
      await peer.setLocalDescription()
      say({ description: peer.localDescription })
    }
    if (description) {
      await peer.setRemoteDescription(description)
      for (const one of early.splice(0)) await peer.addIceCandidate(one)
      if (isCaller) return
      await opening
      await peer.setLocalDescription()
      say({ description: peer.localDescription })
    }
    if (candidate) await (peer.remoteDescription ? peer.addIceCandidate(candidate) : early.push(candidate))
  }
  socket.addEventListener('message', ({ data }) => {
    turn = turn.then(() => hear(JSON.parse(String(data))))
  })
  if (isCaller) await open()
  globalThis.accepts = async () => {
    say({ accepted: true })
    opening = open()
  }
}

declare global {
  var flowed: Promise<number> | undefined
}

interface FlowSettings {
  config?: RTCConfiguration
  sizeBytes: number
}

/** One page sends so many bytes to the other over a bare data channel. Returns the ms from the first message to the last, at the receiver. */
export async function flowBare(from: Evaluates, to: Evaluates, settings: FlowSettings): Promise<number> {
  await to.evaluate(flow, { ...settings, isSender: false })
  await from.evaluate(flow, { ...settings, isSender: true })
  return to.evaluate(() => globalThis.flowed ?? 0, undefined)
}

/** Runs in the page. */
async function flow({ config, sizeBytes, isSender }: FlowSettings & { isSender: boolean }) {
  const peer = new RTCPeerConnection(config)
  const chunks = peer.createDataChannel('chunks', { negotiated: true, id: 1, maxRetransmits: 3 })
  chunks.binaryType = 'arraybuffer'
  chunks.bufferedAmountLowThreshold = 1024 * 1024
  const socket = new WebSocket(location.href.replace('http', 'ws'))
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  const say = (what: object) => socket.send(JSON.stringify(what))
  const early: RTCIceCandidateInit[] = []
  let turn = Promise.resolve()
  const hear = async ({
    description,
    candidate,
  }: {
    description?: RTCSessionDescriptionInit
    candidate?: RTCIceCandidateInit
  }) => {
    if (description) {
      await peer.setRemoteDescription(description)
      for (const one of early.splice(0)) await peer.addIceCandidate(one)
      if (isSender) return
      await peer.setLocalDescription()
      say({ description: peer.localDescription })
    }
    if (candidate) await (peer.remoteDescription ? peer.addIceCandidate(candidate) : early.push(candidate))
  }
  peer.addEventListener('icecandidate', ({ candidate }) => candidate && say({ candidate }))
  socket.addEventListener('message', ({ data }) => {
    turn = turn.then(() => hear(JSON.parse(String(data))))
  })
  if (isSender) {
    chunks.addEventListener('open', async () => {
      const chunk = new Uint8Array(16 * 1024)
      for (let sent = 0; sent < sizeBytes; sent += chunk.length) {
        if (chunks.bufferedAmount > 4 * 1024 * 1024)
          await new Promise((resolve) => chunks.addEventListener('bufferedamountlow', resolve, { once: true }))
        chunks.send(chunk)
      }
    })
    await peer.setLocalDescription()
    say({ description: peer.localDescription })
    return
  }
  globalThis.flowed = new Promise((resolve) => {
    let [came, first, last] = [0, 0, 0]
    chunks.addEventListener('message', ({ data }) => {
      last = performance.now()
      first ||= last
      came += data.byteLength
      if (came >= sizeBytes) resolve(last - first)
    })
    // A channel that sends again three times only may lose the last ones.
    setInterval(() => came > 0 && performance.now() - last > 2000 && resolve(((last - first) * sizeBytes) / came), 500)
  })
}
