import { isLookedAt } from '../../ui/focus.ts'
import { standing } from './desktop.ts'
import { showRingIcon } from './icon.ts'
import { prefsStore } from './newsPrefs.ts'
import { ringStore } from './ringing.ts'

/** The system shows one notification of a tag, however many tabs tell of it. */
const TAG = 'conclave-ring'

/** Rings by title and icon, and by the system while nobody looks. `name` is told if the person wants to see who it is. Returns how to stop. */
export function tellRing(words: string, name: string): () => void {
  ringStore.setState({ words })
  showRingIcon(true)
  const { isDesktop, hasContent } = prefsStore.getState()
  const notification =
    isDesktop && standing() === 'granted' && !isLookedAt()
      ? new Notification(words, {
          body: hasContent ? name : '',
          tag: TAG,
          icon: '/favicon.svg',
          silent: true,
          requireInteraction: true,
        })
      : undefined
  notification?.addEventListener('click', () => {
    notification.close()
    globalThis.focus()
  })
  return () => {
    ringStore.setState({ words: null })
    showRingIcon(false)
    notification?.close()
  }
}

export const mayRing = (): boolean => prefsStore.getState().hasSound
