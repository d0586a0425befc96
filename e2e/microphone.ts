import type { Page } from 'playwright-core'

/** The page's microphone hears a tone. */
export const givesTone = (page: Page): Promise<void> =>
  page.evaluate(() => {
    navigator.mediaDevices.getUserMedia = async () => {
      const sound = new AudioContext()
      const [tone, out] = [sound.createOscillator(), sound.createMediaStreamDestination()]
      tone.connect(out)
      tone.start()
      return out.stream
    }
  })
