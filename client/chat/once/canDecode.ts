import type { OnceContent } from '../../../contract/chat/content.ts'

const MOST_MS = 3000

/** True if this browser shows the picture, or plays the voice: opened first and not shown, it would be lost. */
export async function canDecode(bytes: Blob, as: OnceContent['as']): Promise<boolean> {
  const url = URL.createObjectURL(bytes)
  try {
    if (as === 'image') {
      const image = new Image()
      image.src = url
      await image.decode()
      return true
    }
    const audio = new Audio()
    return await new Promise<boolean>((resolve) => {
      audio.onloadedmetadata = () => resolve(true)
      audio.onerror = () => resolve(false)
      // Some phones load nothing before a press on the player.
      setTimeout(() => resolve(true), MOST_MS)
      audio.src = url
    })
  } catch {
    return false
  } finally {
    URL.revokeObjectURL(url)
  }
}
