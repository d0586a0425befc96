import { randomUUID } from 'node:crypto'

// Media without a browser.

export class FakeTrack {
  readonly id = randomUUID()
  enabled = true
  readyState: 'live' | 'ended' = 'live'
  contentHint = ''
  onended: (() => void) | null = null
  readonly kind: 'audio' | 'video'
  readonly label: string
  readonly deviceId: string

  constructor(kind: 'audio' | 'video', label = `a ${kind} track`, deviceId = 'default') {
    this.kind = kind
    this.label = label
    this.deviceId = deviceId
  }

  stop(): void {
    this.readyState = 'ended'
  }

  /** By the system or the browser, which a page hears of. */
  ends(): void {
    this.readyState = 'ended'
    this.onended?.()
  }
}

export class FakeStream {
  readonly id = randomUUID()
  private readonly tracks: FakeTrack[]

  constructor(tracks: FakeTrack[] = []) {
    this.tracks = [...tracks]
  }

  addTrack(track: FakeTrack): void {
    if (!this.tracks.includes(track)) this.tracks.push(track)
  }

  getTracks = (): FakeTrack[] => [...this.tracks]
  getAudioTracks = (): FakeTrack[] => this.tracks.filter(({ kind }) => kind === 'audio')
  getVideoTracks = (): FakeTrack[] => this.tracks.filter(({ kind }) => kind === 'video')
}

export class FakeSender {
  track: FakeTrack | null = null
  async replaceTrack(track: FakeTrack | null): Promise<void> {
    this.track = track
  }
  getStats = async () => new Map()
}
