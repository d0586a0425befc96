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
