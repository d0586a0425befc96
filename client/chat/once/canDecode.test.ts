import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { canDecode } from './canDecode.ts'

const revoked: string[] = []
const bytes = new Blob(['x'])

beforeEach(() => {
  revoked.length = 0
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:x')
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation((url) => void revoked.push(url))
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

class Picture {
  static decode: () => Promise<void> = async () => undefined
  src = ''
  decode = () => Picture.decode()
}

test('A picture is told fit by the browser that decodes it, and its address goes', async () => {
  vi.stubGlobal('Image', Picture)
  expect(await canDecode(bytes, 'image')).toBe(true)
  Picture.decode = () => Promise.reject(new DOMException('damaged', 'EncodingError'))
  expect(await canDecode(bytes, 'image')).toBe(false)
  expect(revoked).toEqual(['blob:x', 'blob:x'])
})

class Player {
  static tells: (player: Player) => void = () => undefined
  onloadedmetadata: () => void = () => undefined
  onerror: () => void = () => undefined
  set src(_: string) {
    Player.tells(this)
  }
}

test('A voice that this browser does not play is told, and one of which a phone loads nothing yet is taken to play', async () => {
  vi.stubGlobal('Audio', Player)
  Player.tells = (player) => player.onerror()
  expect(await canDecode(bytes, 'audio')).toBe(false)
  Player.tells = (player) => player.onloadedmetadata()
  expect(await canDecode(bytes, 'audio')).toBe(true)
  vi.useFakeTimers()
  Player.tells = () => undefined
  const silent = canDecode(bytes, 'audio')
  await vi.runAllTimersAsync()
  expect(await silent).toBe(true)
  expect(revoked).toHaveLength(3)
})
