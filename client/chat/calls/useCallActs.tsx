import {
  type LucideIcon,
  Maximize,
  Mic,
  MicOff,
  Minimize,
  PhoneOff,
  ScreenShare,
  ScreenShareOff,
  Settings2,
  Video,
  VideoOff,
} from 'lucide-react'
import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { useEnv } from '../../ui/env.tsx'
import { callStore } from './callState.ts'
import { endCall, shareScreen, stopShare, toggleAudio, toggleVideo } from './calls.ts'

export interface CallAct {
  name: 'audio' | 'video' | 'share' | 'devices' | 'fullscreen' | 'end'
  /** In lower case; none ends the call by mistake. */
  key: string | undefined
  icon: LucideIcon
  words: string
  /** True while what it switches is off: the button is white. */
  isOff: boolean
  isDisabled: boolean
  run: () => void
}

/** What the buttons and keys of the view do, in their order. */
export function useCallActs(onDevices: () => void): CallAct[] {
  const env = useEnv()
  const { phase, isAudioEnabled, isVideoEnabled, isSharing } = useStore(callStore)
  const isFull = useFullscreen()
  const isConnected = phase === 'live' || phase === 'reconnecting'
  const canShare = 'getDisplayMedia' in (navigator.mediaDevices ?? {})
  const acts: (CallAct | false)[] = [
    {
      ...{ name: 'audio', key: 'm', isOff: !isAudioEnabled, isDisabled: false },
      ...(isAudioEnabled ? { icon: Mic, words: 'Mute' } : { icon: MicOff, words: 'Unmute' }),
      run: () => void toggleAudio(env),
    },
    {
      ...{ name: 'video', key: 'v', isOff: !isVideoEnabled, isDisabled: isSharing },
      ...(isVideoEnabled ? { icon: Video, words: 'Stop video' } : { icon: VideoOff, words: 'Start video' }),
      run: () => void toggleVideo(env),
    },
    canShare && {
      ...{ name: 'share', key: 's', isOff: isSharing, isDisabled: !isConnected },
      ...(isSharing ? { icon: ScreenShareOff, words: 'Stop share' } : { icon: ScreenShare, words: 'Share' }),
      run: () => void (isSharing ? stopShare(env) : shareScreen(env)),
    },
    { name: 'devices', key: 'd', icon: Settings2, words: 'Devices', isOff: false, isDisabled: false, run: onDevices },
    document.fullscreenEnabled && {
      ...{ name: 'fullscreen', key: 'f', isOff: false, isDisabled: false },
      ...(isFull ? { icon: Minimize, words: 'Window' } : { icon: Maximize, words: 'Fullscreen' }),
      // The whole page: what lies over the call, such as a question, must be seen too.
      run: () => void (isFull ? document.exitFullscreen() : document.documentElement.requestFullscreen()).catch(() => undefined),
    },
    {
      ...{ name: 'end', key: undefined, icon: PhoneOff, words: 'End', isOff: false, isDisabled: false },
      run: () => void endCall(env),
    },
  ]
  // iPhones know nothing of `fullscreenEnabled`.
  return acts.filter((act) => typeof act === 'object')
}

/** True while the page has the whole screen, which ends with the view. */
function useFullscreen(): boolean {
  const [isFull, setFull] = useState(() => document.fullscreenElement !== null)
  useEffect(() => {
    const look = () => setFull(document.fullscreenElement !== null)
    document.addEventListener('fullscreenchange', look)
    return () => {
      document.removeEventListener('fullscreenchange', look)
      if (document.fullscreenElement) document.exitFullscreen().catch(() => undefined)
    }
  }, [])
  return isFull
}
