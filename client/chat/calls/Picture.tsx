import { type Ref, useEffect, useImperativeHandle, useRef } from 'react'

interface Props {
  stream: MediaStream
  /** What is seen: "Marcus", "Your picture". */
  label: string
  /** The own camera is shown as a mirror shows it. */
  isMirrored?: boolean
  /** A screen is never cropped. */
  isWhole?: boolean
  player?: Ref<HTMLVideoElement>
}

/** The moving picture of a stream, without its sound. */
export function Picture({ stream, label, isMirrored = false, isWhole = false, player }: Props) {
  const video = useRef<HTMLVideoElement>(null)
  useImperativeHandle(player, () => video.current as HTMLVideoElement, [])
  useEffect(() => {
    const element = video.current
    if (!element) return
    // A browser renders sound also where it is muted.
    element.srcObject = new MediaStream(stream.getVideoTracks())
    // A silent picture may play at once everywhere; one that is replaced meanwhile is refused, and the next one asks anew.
    element.play().catch(() => undefined)
    return () => {
      element.srcObject = null
    }
  }, [stream])
  return (
    <video
      ref={video}
      dir="ltr"
      muted
      autoPlay
      playsInline
      disablePictureInPicture={isMirrored}
      aria-label={label}
      className={`cam ${isWhole ? 'whole' : ''} ${isMirrored ? 'mirror' : ''}`}
    />
  )
}

export const hasPicture = (stream: MediaStream | null | undefined): stream is MediaStream =>
  stream?.getVideoTracks().some(({ readyState }) => readyState === 'live') ?? false
