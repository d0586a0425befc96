import { randomUUID } from 'node:crypto'
import { type Between, FakeChannel } from './datachannel.ts'
import { type Certificate, type Description, field, newCertificate } from './descriptions.ts'
import { FakeSender, FakeTrack } from './tracks.ts'

// Connections without a browser: they go through the states of a browser's, and two of them meet by their descriptions.

const CONNECT_MS = 30
const CANDIDATE_MS = 5
const NOTICE_MS = 6000
const FAIL_MS = 15_000

/** What lies between the browsers. */
export interface Network extends Between {
  /** Candidates of every connection, as they were told. */
  gathered: string[]
  connections: FakeConnection[]
  cut(): void
}

interface FakeTransceiver {
  direction: string
  sender: FakeSender
  receiver: { track: FakeTrack; getSynchronizationSources: () => { audioLevel: number }[] }
}

let network: Network

export class FakeConnection {
  static generateCertificate = async () => newCertificate()

  signalingState = 'stable'
  connectionState: RTCPeerConnectionState = 'new'
  localDescription: Description | null = null
  remoteDescription: Description | null = null
  onicecandidate: ((event: { candidate: unknown }) => void) | null = null
  onconnectionstatechange: (() => void) | null = null
  ontrack: ((event: { track: FakeTrack }) => void) | null = null
  readonly id = randomUUID()
  private config: RTCConfiguration
  private readonly transceivers: FakeTransceiver[] = []
  readonly channels: FakeChannel[] = []
  private restarts = 0
  /** Those of the other end by the name of its last restart. */
  private known = new Set<string>()

  constructor(config: RTCConfiguration = {}) {
    for (const { urls } of config.iceServers ?? [])
      for (const url of [urls].flat())
        if (!/^(stun|turn)s?:[^ ]+$/.test(url)) throw new DOMException(`'${url}' is not a valid URL`, 'SyntaxError')
    this.config = config
    network.connections.push(this)
  }

  getConfiguration = (): RTCConfiguration => ({ ...this.config })
  setConfiguration(config: RTCConfiguration): void {
    this.config = config
  }
  getTransceivers = (): FakeTransceiver[] => [...this.transceivers]
  getSenders = (): FakeSender[] => this.transceivers.map(({ sender }) => sender)
  getReceivers = () => this.transceivers.map(({ receiver }) => receiver)
  getStats = async () => new Map()

  createDataChannel(label: string, init: RTCDataChannelInit): FakeChannel {
    const channel = new FakeChannel(
      label,
      init,
      () => network,
      (id) => this.other()?.channels.find((one) => one.init.id === id),
    )
    this.channels.push(channel)
    return channel
  }

  addTransceiver(kind: 'audio' | 'video'): void {
    const receiver = { track: new FakeTrack(kind, 'from there'), getSynchronizationSources: () => [] }
    this.transceivers.push({ direction: 'sendrecv', sender: new FakeSender(), receiver })
  }

  private describe(type: 'offer' | 'answer'): Description {
    const [certificate] = (this.config.certificates ?? []) as unknown as Certificate[]
    const value = certificate?.getFingerprints()[0]?.value.toUpperCase() ?? ''
    const lines = ['v=0', `a=end:${this.id}`, `a=ice-ufrag:${this.id}/${this.restarts}`, `a=fingerprint:sha-256 ${value}`]
    return { type, sdp: `${lines.join('\r\n')}\r\n` }
  }

  async createOffer({ iceRestart = false } = {}): Promise<Description> {
    if (iceRestart) this.restarts += 1
    return this.describe('offer')
  }

  async createAnswer(): Promise<Description> {
    if (this.signalingState !== 'have-remote-offer') throw new DOMException('No offer', 'InvalidStateError')
    return this.describe('answer')
  }

  async setLocalDescription(description: Description): Promise<void> {
    this.requireOpen()
    this.localDescription = description
    this.signalingState = description.type === 'offer' ? 'have-local-offer' : 'stable'
    this.gather()
    this.meet()
  }

  async setRemoteDescription(description: Description): Promise<void> {
    this.requireOpen()
    const isFitting = description.type === 'offer' ? this.signalingState === 'stable' : this.signalingState === 'have-local-offer'
    if (!isFitting) throw new DOMException('Called in the wrong state', 'InvalidStateError')
    const before = this.remoteDescription
    this.remoteDescription = description
    this.signalingState = description.type === 'offer' ? 'have-remote-offer' : 'stable'
    if (before && field(before.sdp, 'ice-ufrag') !== field(description.sdp, 'ice-ufrag')) this.known.clear()
    if (!before) {
      if (this.transceivers.length === 0 && this.channels.length === 0)
        for (const kind of ['audio', 'video'] as const) this.addTransceiver(kind)
      for (const { receiver } of this.transceivers) this.ontrack?.(receiver)
    }
    this.meet()
  }

  async addIceCandidate({ usernameFragment }: { usernameFragment?: string }): Promise<void> {
    if (!this.remoteDescription) throw new DOMException('No remote description', 'InvalidStateError')
    if (usernameFragment !== field(this.remoteDescription.sdp, 'ice-ufrag')) throw new DOMException('Unknown', 'OperationError')
    this.known.add(usernameFragment)
    this.meet()
  }

  close(): void {
    if (this.signalingState === 'closed') return
    this.signalingState = 'closed'
    this.connectionState = 'closed'
    for (const channel of this.channels) channel.close()
  }

  private requireOpen(): void {
    if (this.signalingState === 'closed') throw new DOMException('It is closed', 'InvalidStateError')
  }

  private gather(): void {
    const hasTurn = (this.config.iceServers ?? []).some(({ urls }) => [urls].flat().some((url) => url.startsWith('turn')))
    const kinds = [...(this.config.iceTransportPolicy === 'relay' ? [] : ['host']), ...(hasTurn ? ['relay'] : [])]
    const usernameFragment = `${this.id}/${this.restarts}`
    setTimeout(() => {
      for (const kind of kinds) {
        const candidate = `candidate:1 1 udp 1 ${kind === 'host' ? '192.0.2.7' : '203.0.113.1'} 9 typ ${kind}`
        network.gathered.push(candidate)
        this.onicecandidate?.({ candidate: { candidate, toJSON: () => ({ candidate, sdpMid: '0', usernameFragment }) } })
      }
    }, CANDIDATE_MS)
  }

  /** The connection at the other end, if the two know each other by now. */
  other(): FakeConnection | undefined {
    const id = field(this.remoteDescription?.sdp ?? '', 'end')
    return network.connections.find((one) => one.id === id)
  }

  private meet(): void {
    const other = this.other()
    if (!other?.remoteDescription || field(other.remoteDescription.sdp, 'end') !== this.id) return
    if (this.known.size === 0 || other.known.size === 0 || this.signalingState !== 'stable' || other.signalingState !== 'stable')
      return
    setTimeout(() => {
      for (const one of [this, other]) if (network.isUp && one.isMeeting()) one.stands('connected')
    }, CONNECT_MS)
  }

  private isMeeting(): boolean {
    const other = this.other()
    return this.signalingState !== 'closed' && other !== undefined && other.signalingState !== 'closed'
  }

  stands(state: RTCPeerConnectionState): void {
    if (this.connectionState === state || this.signalingState === 'closed') return
    this.connectionState = state
    this.onconnectionstatechange?.()
    if (state === 'connected') setTimeout(() => this.opensChannels(), 1)
  }

  private opensChannels(): void {
    for (const channel of this.channels) channel.opens()
  }
}

/** A network for one test, with the connections of all its pages. */
export function openNetwork(): Network {
  network = {
    ...{ isUp: true, gathered: [], connections: [], carries: undefined, bytesPerMs: 256 * 1024 },
    cut() {
      network.isUp = false
      const open = network.connections.filter(({ connectionState }) => connectionState === 'connected')
      for (const one of open) {
        setTimeout(() => !network.isUp && one.stands('disconnected'), NOTICE_MS)
        setTimeout(() => !network.isUp && one.stands('failed'), NOTICE_MS + FAIL_MS)
      }
    },
  }
  return network
}
