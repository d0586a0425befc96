import type { FileContent } from '../../../contract/chat/content.ts'
import { SAID } from '../../../contract/chat/saidlimits.ts'
import { thumbnailOf } from './drawn.ts'

const VIDEO_MS = 4000
/** Many videos begin black. */
const FRAME_AT = 1
/** Sides in px and qualities, best first: every reader takes 160 px. */
const TRIES = [
  [160, 0.6],
  [160, 0.35],
  [120, 0.35],
  [40, 0.6],
] as const

/** A frame, made by the sender: who reads asks nobody for it. Empty if this browser cannot play the video. */
export async function posterOf(file: File): Promise<Pick<FileContent, 'picture' | 'seconds'>> {
  const video = document.createElement('video')
  const url = URL.createObjectURL(file)
  const happens = (event: 'loadeddata' | 'seeked') =>
    new Promise<boolean>((resolve) => {
      video.addEventListener(event, () => resolve(true), { once: true })
      video.onerror = () => resolve(false)
      setTimeout(() => resolve(false), VIDEO_MS)
    })
  try {
    video.muted = true
    video.preload = 'auto'
    video.src = url
    const isThere = await happens('loadeddata')
    const { videoWidth: width, videoHeight: height, duration } = video
    if (!isThere || width === 0 || height === 0) return {}
    const hasLength = Number.isFinite(duration) && duration > 0 && duration <= SAID.videoSeconds
    if (hasLength) {
      const seeked = happens('seeked')
      video.currentTime = Math.min(FRAME_AT, duration / 2)
      await seeked
    }
    return { picture: { width, height, thumbnail: await fitting(video, width, height) }, ...(hasLength && { seconds: duration }) }
  } finally {
    video.removeAttribute('src')
    URL.revokeObjectURL(url)
  }
}

async function fitting(video: HTMLVideoElement, width: number, height: number): Promise<string> {
  for (const [sidePx, quality] of TRIES) {
    const thumbnail = await thumbnailOf(video, width, height, sidePx, quality)
    if (thumbnail) return thumbnail
  }
  return ''
}
