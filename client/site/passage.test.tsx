// @vitest-environment happy-dom
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, expect, test, vi } from 'vitest'
import { Landing } from './Landing.tsx'
import { livenPassage } from './passage.ts'

const PATIENCE = { timeout: 30_000 }
const TEXT = 'Sign before six. I will countersign from Geneva.'

/** The middle of the landing has come into view; the clock of the page shows these times, one after another. Waits until it was sealed. */
async function seen(...times: number[]): Promise<HTMLElement> {
  document.body.innerHTML = renderToStaticMarkup(<Landing />)
  vi.spyOn(performance, 'now').mockImplementation(() => (times.length > 1 ? times.shift() : times[0]) ?? 0)
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      observe: () => void
      constructor(tell: (entries: { isIntersecting: boolean }[]) => void) {
        this.observe = () => tell([{ isIntersecting: true }])
      }
      disconnect = () => undefined
    },
  )
  livenPassage()
  const [said, read] = [document.getElementById('passage-said'), document.getElementById('read')]
  await vi.waitFor(() => expect(said?.textContent).toMatch(/^Sealed in/), PATIENCE)
  if (!read) throw new Error('Nothing is read')
  return read
}

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('What they read comes letter by letter, and is one whole text after that', async () => {
  const read = await seen(0)
  expect(read.querySelectorAll('i')).toHaveLength(TEXT.length)
  await vi.waitFor(() => expect(read.innerHTML).toBe(TEXT), PATIENCE)
})

test('Where sealing took so long that the letters would still be faint three seconds after it was seen, the text stands whole at once', async () => {
  expect((await seen(0, 700)).innerHTML).toBe(TEXT)
})
