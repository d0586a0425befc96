import type { CallType } from '../../../contract/chat/calllimits.ts'
import type { Env } from '../../env.ts'
import { showToast } from '../../ui/toast.ts'
import { callStore } from './callState.ts'
import { failedTitle, unpluggedWords } from './callWords.ts'
import { chosenDevices, type DeviceKind, rememberDevices } from './devices.ts'
import { isLive, type LiveCall, liveCall } from './liveCall.ts'
import { MediaFailure, mediaWords, type OwnKind, openMedia, openTrack, stopMedia, stopTrack } from './media.ts'
import { openScreen } from './screen.ts'
import { showMedia } from './shownMedia.ts'
import { rememberHere } from './thisTab.ts'

/** False: the call ended meanwhile. Throws MediaFailure. */
export async function takeMedia(call: LiveCall, callType: CallType, isMuted = false): Promise<boolean> {
  const media = await openMedia(callType)
  if (!isLive(call)) {
    stopMedia(media)
    return false
  }
  // The view’s buttons work while the browser asks, and may have opened one.
  stopMedia(call.media)
  call.media = media
  if (media.microphone) media.microphone.enabled = !isMuted
  followUnplugged(call)
  showMedia(call)
  return true
}

export async function toggleAudio(_env: Env): Promise<void> {
  const call = liveCall()
  if (!call) return
  const { microphone } = call.media
  if (microphone) microphone.enabled = !microphone.enabled
  else await openInto(call, 'microphone')
  show(call)
}

/** Off frees the device. */
export async function toggleVideo(_env: Env): Promise<void> {
  const call = liveCall()
  if (!call) return
  const { camera } = call.media
  if (camera) {
    stopTrack(camera)
    call.media.camera = null
  } else await openInto(call, 'camera')
  show(call)
}

function show(call: LiveCall): void {
  if (!isLive(call)) return
  showMedia(call)
  if (call.isAccepted) rememberHere(call)
}

async function openInto(call: LiveCall, kind: OwnKind): Promise<void> {
  try {
    put(call, kind, await openTrack(kind))
  } catch (error) {
    tell(call, error)
  }
}

function put(call: LiveCall, kind: OwnKind, track: MediaStreamTrack): void {
  if (!isLive(call)) {
    track.stop()
    return
  }
  const before = call.media[kind]
  // The person may have muted it meanwhile.
  if (before) track.enabled = before.enabled
  stopTrack(before)
  call.media[kind] = track
  followUnplugged(call)
  // The screen's sound has the microphone in it.
  call.media.screen?.mixIn(call.media.microphone)
}

function tell({ callType }: LiveCall, error: unknown): void {
  const text = error instanceof MediaFailure ? error.message : mediaWords(error)
  showToast({ tone: 'bad', title: failedTitle(callType), text })
}

export function followUnplugged(call: LiveCall): void {
  for (const kind of ['microphone', 'camera'] as const) {
    const track = call.media[kind]
    if (track) track.onended = () => void fallBack(call, kind, track)
  }
}

async function fallBack(call: LiveCall, kind: OwnKind, gone: MediaStreamTrack): Promise<void> {
  if (!isLive(call) || call.media[kind] !== gone) return
  const next = await openTrack(kind).catch(() => undefined)
  if (!isLive(call) || call.media[kind] !== gone) return next?.stop()
  if (next) next.enabled = gone.enabled
  call.media[kind] = next ?? null
  if (next) followUnplugged(call)
  showToast({ tone: 'plain', ...unpluggedWords(kind, next ? next.label : null) })
  call.media.screen?.mixIn(call.media.microphone)
  show(call)
}

export async function shareScreen(_env: Env): Promise<void> {
  const call = liveCall()
  if (!call || call.media.screen) return
  try {
    const screen = await openScreen(call.media.microphone)
    if (!screen) return
    // Asked twice, the browser may share two.
    if (!isLive(call) || call.media.screen) return screen.stop()
    // The browser's own button.
    screen.video.onended = () => end(call)
    call.media.screen = screen
    show(call)
  } catch (error) {
    tell(call, error)
  }
}

export async function stopShare(_env: Env): Promise<void> {
  const call = liveCall()
  if (call) end(call)
}

/** Camera and microphone are sent again. */
function end(call: LiveCall): void {
  const { screen } = call.media
  if (!screen) return
  call.media.screen = null
  show(call)
  screen.stop()
}

/** Remembered in this browser; a running call changes at once. */
export async function chooseDevice(_env: Env, kind: DeviceKind, id: string): Promise<void> {
  rememberDevices({ chosen: { ...chosenDevices().chosen, [kind]: id } })
  if (kind === 'speaker') callStore.setState({ speakerId: id })
  else await reopen(kind)
}

export async function setNoiseSuppression(_env: Env, isOn: boolean): Promise<void> {
  rememberDevices({ hasNoiseSuppression: isOn })
  await reopen('microphone')
}

async function reopen(kind: OwnKind): Promise<void> {
  const call = liveCall()
  if (!call?.media[kind]) return
  await openInto(call, kind)
  show(call)
}
