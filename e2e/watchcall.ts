/** What a page's calls have shown so far. */
export interface Watched {
  peers: RTCPeerConnection[]
  /** Candidates that this page has found, and that it was given, also inside of descriptions. */
  found: string[]
  given: string[]
  /** ms since 1970, by the page's clock, of the newest call; 0: not yet. */
  audioAt: number
  frameAt: number
}

declare global {
  var watched: Watched | undefined
}

/** What flows in the newest call of a page. */
export interface Flow {
  state: string
  framesSent: number
  framesDecoded: number
  audioPackets: number
  /** Of the pair in use: host, srflx, prflx or relay. */
  localKind: string
  remoteKind: string
  /** Of the way to the relay: udp, tcp or tls. */
  relayProtocol: string
  roundTripMs: number
}

/** Runs in a page before its own code: keeps each RTCPeerConnection and notes when its first sound and its first picture come. */
export function watchCalls(): void {
  const watched: Watched = { peers: [], found: [], given: [], audioAt: 0, frameAt: 0 }
  globalThis.watched = watched
  const now = () => performance.timeOrigin + performance.now()
  const note = (list: string[], text: string | null | undefined) => {
    for (const line of text?.split(/\r?\n/) ?? []) if (/^(a=)?candidate:/.test(line)) list.push(line)
  }
  const { RTCPeerConnection: Real } = globalThis
  // Some browsers have it switched off.
  if (typeof Real === 'undefined') return

  globalThis.RTCPeerConnection = class extends Real {
    constructor(settings?: RTCConfiguration) {
      super(settings)
      watched.peers.push(this)
      Object.assign(watched, { audioAt: 0, frameAt: 0 })
      this.addEventListener('icecandidate', ({ candidate }) => note(watched.found, candidate?.candidate))
      this.addEventListener('track', ({ track, receiver }) => (track.kind === 'video' ? awaitFrame(track) : awaitSound(receiver)))
    }
    override async addIceCandidate(candidate?: RTCIceCandidateInit | null): Promise<void> {
      note(watched.given, candidate?.candidate)
      await super.addIceCandidate(candidate ?? undefined)
    }
    override async setRemoteDescription(description: RTCSessionDescriptionInit): Promise<void> {
      note(watched.given, description.sdp)
      await super.setRemoteDescription(description)
    }
    override async setLocalDescription(description?: RTCLocalSessionDescriptionInit): Promise<void> {
      await super.setLocalDescription(description)
      note(watched.found, this.localDescription?.sdp)
    }
  } as typeof Real

  function awaitFrame(track: MediaStreamTrack): void {
    const video = document.createElement('video')
    Object.assign(video, { muted: true, srcObject: new MediaStream([track]) })
    video.requestVideoFrameCallback(() => {
      watched.frameAt ||= now()
      video.srcObject = null
    })
    void video.play().catch(() => undefined)
  }

  function awaitSound(receiver: RTCRtpReceiver): void {
    const timer = setInterval(() => {
      if (receiver.getSynchronizationSources().length === 0) return
      watched.audioAt ||= now()
      clearInterval(timer)
    }, 5)
  }
}

/** Runs in the page. */
export async function flowOf(): Promise<Flow> {
  const peer = globalThis.watched?.peers.at(-1)
  const flow: Flow = {
    ...{ state: peer?.connectionState ?? 'none', framesSent: 0, framesDecoded: 0, audioPackets: 0 },
    ...{ localKind: '', remoteKind: '', relayProtocol: '', roundTripMs: 0 },
  }
  const report = new Map<string, Record<string, unknown>>()
  for (const [id, each] of (await peer?.getStats()) ?? []) report.set(id, each)
  const number = (value: unknown) => (typeof value === 'number' ? value : 0)
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  const pairs = new Set<unknown>()
  for (const each of report.values()) {
    if (each['type'] === 'inbound-rtp' && each['kind'] === 'video') flow.framesDecoded += number(each['framesDecoded'])
    if (each['type'] === 'outbound-rtp' && each['kind'] === 'video') flow.framesSent += number(each['framesSent'])
    if (each['type'] === 'inbound-rtp' && each['kind'] === 'audio') flow.audioPackets += number(each['packetsReceived'])
    if (each['type'] === 'transport') pairs.add(each['selectedCandidatePairId'])
    // Firefox has no transport.
    if (each['type'] === 'candidate-pair' && each['selected'] === true) pairs.add(each['id'])
  }
  for (const pair of [...pairs].map((id) => report.get(text(id)))) {
    const [local, remote] = [report.get(text(pair?.['localCandidateId'])), report.get(text(pair?.['remoteCandidateId']))]
    Object.assign(flow, {
      localKind: text(local?.['candidateType']),
      remoteKind: text(remote?.['candidateType']),
      relayProtocol: text(local?.['relayProtocol']),
      roundTripMs: number(pair?.['currentRoundTripTime']) * 1000,
    })
  }
  return flow
}
