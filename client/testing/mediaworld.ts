import { vi } from 'vitest'
import { FakeConnection, type Network, openNetwork } from './rtc.ts'
import { FakeStream, FakeTrack } from './tracks.ts'

export interface MediaWorld {
  microphones: string[]
  cameras: string[]
  /** What the browser throws instead of opening a device. */
  refuses: Error | undefined
  /** Opened, newest last. */
  tracks: FakeTrack[]
  /** The screen has a sound of its own. */
  hasScreenSound: boolean
  /** What was mixed into the sound of a screen, newest last. */
  mixed: (string | undefined)[]
  /** Held until it is called. */
  waits: Promise<void> | undefined
}

const failure = (name: string) => new DOMException(name, name)

/** Stubs the globals of media and connections for one test. */
export function openMediaWorld(): { network: Network; media: MediaWorld } {
  const media: MediaWorld = {
    microphones: ['Microphone of the laptop', 'Headset'],
    cameras: ['Camera of the laptop'],
    ...{ refuses: undefined, tracks: [], hasScreenSound: false, mixed: [], waits: undefined },
  }
  const open = (kind: 'audio' | 'video', asked: unknown): FakeTrack[] => {
    if (!asked) return []
    const names = kind === 'audio' ? media.microphones : media.cameras
    const wanted = (asked as { deviceId?: { exact: string } }).deviceId?.exact
    if (wanted !== undefined && !names.includes(wanted)) throw failure('OverconstrainedError')
    const name = wanted ?? names[0]
    if (name === undefined) throw failure('NotFoundError')
    return [new FakeTrack(kind, name, name)]
  }
  const mediaDevices = {
    async getUserMedia({ audio, video }: { audio: unknown; video: unknown }) {
      await media.waits
      if (media.refuses) throw media.refuses
      const tracks = [...open('audio', audio), ...open('video', video)]
      media.tracks.push(...tracks)
      return new FakeStream(tracks)
    },
    async getDisplayMedia() {
      if (media.refuses) throw media.refuses
      const tracks = [
        new FakeTrack('video', 'The screen'),
        ...(media.hasScreenSound ? [new FakeTrack('audio', 'Its sound')] : []),
      ]
      media.tracks.push(...tracks)
      return new FakeStream(tracks)
    },
    enumerateDevices: async () => [
      ...media.microphones.map((label) => ({ kind: 'audioinput', deviceId: label, label })),
      ...media.cameras.map((label) => ({ kind: 'videoinput', deviceId: label, label })),
    ],
  }
  class FakeAudio {
    createMediaStreamDestination = () => ({ stream: new FakeStream([new FakeTrack('audio', 'The mix')]) })
    createMediaStreamSource = (stream: FakeStream) => {
      media.mixed.push(stream.getAudioTracks()[0]?.label)
      return { connect: () => undefined, disconnect: () => undefined }
    }
    close = async () => undefined
  }
  vi.stubGlobal('RTCPeerConnection', FakeConnection)
  vi.stubGlobal('MediaStream', FakeStream)
  vi.stubGlobal('AudioContext', FakeAudio)
  vi.stubGlobal('navigator', { userAgent: 'A test', mediaDevices, userActivation: { hasBeenActive: false } })
  return { network: openNetwork(), media }
}
