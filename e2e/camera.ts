import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { encode } from 'uqr'

/** A fake camera. Chromium plays its film whenever a page opens the camera. */
export interface Camera {
  /** Chromium flags for a browser with this camera and the permission to use it. */
  words: string[]
  /** Makes the element the camera's picture. A page that has the camera open must reopen it to see the new picture. */
  looksAt(shown: Locator): Promise<void>
  /** The same for a QR code with this text. */
  looksAtCode(text: string): Promise<void>
}

const WIDTH = 640
const HEIGHT = 480
const FRAMES = 5
const GREY = 128
const MODULE_PX = 5

export async function newCamera(): Promise<Camera> {
  const path = join(await mkdtemp(join(tmpdir(), 'conclave-camera-')), 'film.y4m')
  await writeFile(path, filmOf(Buffer.alloc(WIDTH * HEIGHT, GREY)))
  return {
    words: ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream', `--use-file-for-fake-video-capture=${path}`],
    looksAt: async (shown) => writeFile(path, filmOf(await pictureOf(shown))),
    looksAtCode: (text) => writeFile(path, filmOf(codeOf(text))),
  }
}

/** Encodes a still picture as a YUV4MPEG2 film, with one brightness per pixel and no colour. */
function filmOf(brightness: Buffer): Buffer {
  const noColour = Buffer.alloc((WIDTH / 2) * (HEIGHT / 2) * 2, GREY)
  const frame = Buffer.concat([Buffer.from('FRAME\n'), brightness, noColour])
  const head = Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F10:1 Ip A1:1 C420jpeg\n`)
  return Buffer.concat([head, ...Array.from({ length: FRAMES }, () => frame)])
}

/** Draws a screenshot of the element in the middle of the camera's picture. The browser decodes the screenshot. */
async function pictureOf(shown: Locator): Promise<Buffer> {
  const screenshot = (await shown.screenshot()).toString('base64')
  const brightness = await shown.page().evaluate(
    async ({ screenshot, width, height, grey }) => {
      const bytes = Uint8Array.from(atob(screenshot), (character) => character.charCodeAt(0))
      const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
      const context = new OffscreenCanvas(width, height).getContext('2d')
      if (!context) throw new Error('There is no canvas')
      context.fillStyle = `rgb(${grey} ${grey} ${grey})`
      context.fillRect(0, 0, width, height)
      context.drawImage(picture, Math.round((width - picture.width) / 2), Math.round((height - picture.height) / 2))
      const { data } = context.getImageData(0, 0, width, height)
      let text = ''
      for (let at = 0; at < data.length; at += 4) text += String.fromCharCode(data[at + 1] ?? 0)
      return btoa(text)
    },
    { screenshot, width: WIDTH, height: HEIGHT, grey: GREY },
  )
  return Buffer.from(brightness, 'base64')
}

/** Draws a QR code, with a white margin, in the middle of the camera's picture. */
function codeOf(text: string): Buffer {
  const { data } = encode(text, { ecc: 'M', border: 2 })
  const [left, top] = [WIDTH, HEIGHT].map((side) => Math.floor((side - data.length * MODULE_PX) / 2)) as [number, number]
  const brightness = Buffer.alloc(WIDTH * HEIGHT, GREY)
  data.forEach((row, y) => {
    row.forEach((isBlack, x) => {
      const from = left + x * MODULE_PX
      for (let line = 0; line < MODULE_PX; line++) {
        const start = (top + y * MODULE_PX + line) * WIDTH + from
        brightness.fill(isBlack ? 0 : 255, start, start + MODULE_PX)
      }
    })
  })
  return brightness
}
