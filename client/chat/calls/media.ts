import type { CallType } from '../../../contract/chat/calllimits.ts'
import { chosenDevices } from './devices.ts'

export type OwnKind = 'microphone' | 'camera'

export interface CallMedia {
  microphone: MediaStreamTrack | null
  camera: MediaStreamTrack | null
  screen: SharedScreen | null
}

export interface SharedScreen {
  video: MediaStreamTrack
  /** With the microphone in it; null if the browser gave none. */
  sound: MediaStreamTrack | null
  mixIn: (microphone: MediaStreamTrack | null) => void
  stop: () => void
}

/** Its message is the specification's. */
export class MediaFailure extends Error {
  constructor(text: string) {
    super(text)
    this.name = 'MediaFailure'
  }
}

const DENIED = 'Camera/microphone access denied. Please allow permissions and try again.'
const NO_DEVICE = 'No camera or microphone found. Please check your devices.'
const UNSUPPORTED = 'Video calling is not supported in this browser.'
const IN_USE = 'Camera or microphone is already in use by another application.'

const TEXTS: Record<string, string> = {
  NotAllowedError: DENIED,
  SecurityError: DENIED,
  NotFoundError: NO_DEVICE,
  OverconstrainedError: NO_DEVICE,
  NotReadableError: IN_USE,
  AbortError: IN_USE,
  NotSupportedError: UNSUPPORTED,
}

export function mediaWords(error: unknown): string {
  if (!(error instanceof Error || error instanceof DOMException)) return 'Failed to start call'
  return TEXTS[error.name] ?? (error.message ? `Media error: ${error.message}` : 'Failed to start call')
}

export const noMedia = (): CallMedia => ({ microphone: null, camera: null, screen: null })

/** The browser asks once for both. Throws MediaFailure. */
export async function openMedia(callType: CallType): Promise<CallMedia> {
  const kinds: OwnKind[] = callType === 'video' ? ['microphone', 'camera'] : ['microphone']
  const [microphone, camera] = await openTracks(kinds)
  return { ...noMedia(), microphone: microphone ?? null, camera: camera ?? null }
}

/** Throws MediaFailure. */
export async function openTrack(kind: OwnKind): Promise<MediaStreamTrack> {
  const [track] = await openTracks([kind])
  if (!track) throw new MediaFailure(NO_DEVICE)
  return track
}

async function openTracks(kinds: OwnKind[]): Promise<(MediaStreamTrack | undefined)[]> {
  if (!globalThis.navigator?.mediaDevices?.getUserMedia || !('RTCPeerConnection' in globalThis))
    throw new MediaFailure(UNSUPPORTED)
  const stream = await capture(kinds, true)
    .catch((error: unknown) => {
      // The chosen device is not there today.
      if (error instanceof Error && ['OverconstrainedError', 'NotFoundError'].includes(error.name)) return capture(kinds, false)
      throw error
    })
    .catch((error: unknown) => {
      throw new MediaFailure(mediaWords(error))
    })
  return kinds.map((kind) => (kind === 'microphone' ? stream.getAudioTracks() : stream.getVideoTracks())[0])
}

function capture(kinds: OwnKind[], isChosen: boolean): Promise<MediaStream> {
  const { chosen, hasNoiseSuppression } = chosenDevices()
  const device = (kind: OwnKind) => (isChosen && chosen[kind] !== null ? { deviceId: { exact: chosen[kind] } } : {})
  const audio = { ...device('microphone'), echoCancellation: true, autoGainControl: true, noiseSuppression: hasNoiseSuppression }
  const video = { ...device('camera'), width: { ideal: 1280 }, height: { ideal: 720 } }
  return navigator.mediaDevices.getUserMedia({
    audio: kinds.includes('microphone') && audio,
    video: kinds.includes('camera') && video,
  })
}

export const soundOf = ({ screen, microphone }: CallMedia): MediaStreamTrack | null => screen?.sound ?? microphone
export const pictureOf = ({ screen, camera }: CallMedia): MediaStreamTrack | null => screen?.video ?? camera

export function stopTrack(track: MediaStreamTrack | null): void {
  if (!track) return
  track.onended = null
  track.stop()
}

export function stopMedia({ microphone, camera, screen }: CallMedia): void {
  screen?.stop()
  stopTrack(microphone)
  stopTrack(camera)
}
