import { MicOff, PictureInPicture2, ScreenShare, VideoOff } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { useStore } from 'zustand'
import { Avatar } from '../../ui/Avatar.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { callStore } from './callState.ts'
import { OwnTile } from './OwnTile.tsx'
import { hasPicture, Picture } from './Picture.tsx'
import { useCallPerson } from './useCallPerson.tsx'

/** The pictures: the other end large and the own one in a corner, or a shared screen with the faces beside it. */
export function CallStage() {
  const otherVideo = useStore(callStore, (call) => call.otherVideo)
  if (otherVideo !== 'screen')
    return (
      <div className="stage">
        <OtherTile />
        <OwnTile isFloating />
      </div>
    )
  return (
    <div className="stage screen">
      <OtherTile />
      <div className="rail">
        <OtherTile isFace />
        <OwnTile />
      </div>
    </div>
  )
}

/** `isFace`: beside the screen that this person shares. */
function OtherTile({ isFace = false }: { isFace?: boolean }) {
  const { remoteStreams, otherVideo, isOtherMuted, line, phase, speaks } = useStore(callStore)
  const { person, id, name, short } = useCallPerson()
  const video = useRef<HTMLVideoElement>(null)
  const stream = remoteStreams[id]
  const isScreen = otherVideo === 'screen' && !isFace
  const isSeen = !isFace && otherVideo !== 'off' && hasPicture(stream)
  const canPop = isSeen && 'requestPictureInPicture' in HTMLVideoElement.prototype && document.pictureInPictureEnabled
  const pop = () => void video.current?.requestPictureInPicture().catch(() => undefined)
  const isOld = phase === 'reconnecting'
  return (
    <Tile isSpeaking={speaks.other && !isScreen && !isOld} isOld={isOld}>
      {isSeen ? (
        <Picture stream={stream} player={video} isWhole={isScreen} label={isScreen ? `${name}’s screen` : name} />
      ) : (
        <Avatar id={id} name={name} photo={person?.photo ?? null} size={120} />
      )}
      <span className="nm">
        {line === 'weak' && !isFace && <Bars />}
        {isScreen ? (
          <ScreenShare className="i i-14" aria-hidden />
        ) : (
          <>
            {isOtherMuted && <MicOff className="i i-14" aria-hidden />}
            {!isSeen && !isFace && <VideoOff className="i i-14" aria-hidden />}
          </>
        )}
        <bdi className="cut">{isScreen ? `${short}’s screen` : short}</bdi>
        {isOtherMuted && !isScreen && <span className="sr">, muted</span>}
      </span>
      {canPop && <IconButton icon={PictureInPicture2} label="Picture in picture" className="pop-out" onClick={pop} />}
    </Tile>
  )
}

interface TileProps {
  isSpeaking: boolean
  isOld: boolean
  children: ReactNode
}

function Tile({ isSpeaking, isOld, children }: TileProps) {
  return <div className={`tile ${isSpeaking ? 'speaks' : ''} ${isOld ? 'old' : ''}`}>{children}</div>
}

function Bars() {
  return (
    <span className="bars">
      <i />
      <i />
      <i />
      <span className="sr">Weak line: </span>
    </span>
  )
}
