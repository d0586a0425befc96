import { useStore } from 'zustand'
import { later } from '../../ui/later.tsx'
import { prefsStore } from './newsPrefs.ts'

const Offer = later(async () => (await import('./Offer.tsx')).Offer)

/** The offer to tell of news by the system, from when something was missed until it is answered. */
export function OfferOnce() {
  const isDue = useStore(prefsStore, ({ offer }) => offer === 'due')
  return isDue ? <Offer /> : null
}
