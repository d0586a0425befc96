import { useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useStore } from 'zustand'
import { callStore } from './callState.ts'

/** Plays what the other end says. Some browsers play nothing before a press. */
export function CallSound() {
  const streams = useStore(callStore, ({ remoteStreams }) => remoteStreams)
  const isLive = useStore(callStore, ({ phase }) => phase === 'live' || phase === 'reconnecting')
  const [stream] = Object.values(streams)
  return isLive && stream ? <Sound stream={stream} /> : null
}

function Sound({ stream }: { stream: MediaStream }) {
  const player = useRef<HTMLAudioElement>(null)
  const speaker = useStore(callStore, ({ speakerId }) => speakerId)
  const [isBlocked, setBlocked] = useState(false)
  const isReconnecting = useStore(callStore, ({ phase }) => phase === 'reconnecting')
  useEffect(() => {
    const output: (HTMLAudioElement & { setSinkId?: (id: string) => Promise<void> }) | null = player.current
    // A speaker that was unplugged meanwhile: the sound stays where it is.
    output?.setSinkId?.(speaker ?? '').catch(() => undefined)
  }, [speaker])
  const play = () =>
    player.current?.play().then(
      () => setBlocked(false),
      (error: unknown) => setBlocked(error instanceof DOMException && error.name === 'NotAllowedError'),
    )
  // biome-ignore lint/correctness/useExhaustiveDependencies: another stream begins anew
  useEffect(() => {
    if (player.current) player.current.srcObject = stream
    void play()
  }, [stream])
  return (
    <>
      {/* biome-ignore lint/a11y/useMediaCaption: the voice of a person, as it is spoken */}
      <audio ref={player} autoPlay />
      {isBlocked &&
        !isReconnecting &&
        createPortal(
          <button type="button" className="btn primary call-hear" onClick={() => void play()}>
            Hear the call
          </button>,
          document.body,
        )}
    </>
  )
}
