import { callStore } from './callState.ts'
import type { LiveCall } from './liveCall.ts'
import { pictureOf, soundOf } from './media.ts'

export function showMedia(call: LiveCall): void {
  const { microphone, camera, screen } = call.media
  const tracks = [microphone, screen?.video ?? camera].filter((track) => track !== null)
  callStore.setState({
    // Another object, because a screen sees no change within one.
    localStream: tracks.length > 0 ? new MediaStream(tracks) : null,
    isAudioEnabled: microphone?.enabled === true,
    isVideoEnabled: camera !== null,
    isSharing: screen !== null,
  })
  void call.link?.setTrack('audio', soundOf(call.media))
  void call.link?.setTrack('video', pictureOf(call.media))
  tellState(call)
}

export function tellState({ link, media }: LiveCall, { asksRestart = false } = {}): void {
  // Before, there is no key to seal it with.
  if (!link?.peer()) return
  const { microphone, camera, screen } = media
  const state = {
    video: screen ? 'screen' : camera ? 'camera' : 'off',
    isMuted: microphone?.enabled !== true,
    isCompared: callStore.getState().isCompared,
    ...(asksRestart && { asksRestart }),
  }
  link.sends('state', JSON.stringify(state))
}
