import { drawQr } from '../../ui/qr.ts'
import { moment } from '../../ui/time.ts'
import type { CodeState } from './store.ts'

const SIDE_PX = 1024
const TEXT_PX = 40
const MARGIN_PX = 48

/**
 * Saves the code as a picture named after the username, black on white. Whose it is and when it expires stand below it, because a
 * picture outlives its code. Throws if the browser draws no picture.
 */
export async function downloadPicture({ content, expiresAt }: NonNullable<CodeState['code']>, username: string): Promise<void> {
  const { sizeModules, path } = drawQr(content)
  const modulePx = Math.floor(SIDE_PX / sizeModules)
  const sidePx = modulePx * sizeModules
  const canvas = document.createElement('canvas')
  canvas.width = sidePx
  canvas.height = sidePx + 2 * TEXT_PX + 2 * MARGIN_PX
  const context = canvas.getContext('2d')
  if (!context) throw new Error('There is no canvas')
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.fillStyle = '#000'
  context.textAlign = 'center'
  context.font = `${TEXT_PX}px sans-serif`
  context.fillText(`@${username.toLowerCase()}`, sidePx / 2, sidePx + TEXT_PX, sidePx - MARGIN_PX)
  context.fillText(`Expires ${moment(expiresAt)}`, sidePx / 2, sidePx + TEXT_PX + MARGIN_PX, sidePx - MARGIN_PX)
  context.scale(modulePx, modulePx)
  context.fill(new Path2D(path))
  const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (!picture) throw new Error('The picture was not drawn')
  const url = URL.createObjectURL(picture)
  const link = document.createElement('a')
  link.href = url
  link.download = `${username.toLowerCase()}-contact-qr.png`
  link.click()
  URL.revokeObjectURL(url)
}
