import type { OnceContent } from '../../../contract/chat/content.ts'

const MOST_MS = 3000

/** True if this browser shows the picture, or plays the voice: opened first and not shown, it would be lost. */
export async function canDecode(bytes: Blob, as: OnceContent['as']): Promise<boolean> {
  const url = URL.createObjectURL(bytes)
  const isFit = await (as === 'image' ? showsPicture(url) : playsVoice(url))
  URL.revokeObjectURL(url)
  return isFit
}

function showsPicture(url: string): Promise<boolean> {
  const image = new Image()
  image.src = url
  return image.decode().then(
    () => true,
    () => false,
  )
}

const playsVoice = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const audio = new Audio()
    audio.onloadedmetadata = () => resolve(true)
    audio.onerror = () => resolve(false)
    // Some phones load nothing before a press on the player.
    setTimeout(() => resolve(true), MOST_MS)
    audio.src = url
  })
