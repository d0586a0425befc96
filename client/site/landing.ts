import { whoIsHere } from './known.ts'
import { livenPassage } from './passage.ts'
import { showPrices } from './prices.ts'

/** A browser that has forgotten its user may be signed in all the same: then this is not a first visit. */
async function leaveIfSignedIn(): Promise<void> {
  if (await whoIsHere()) location.replace('/auth')
}

if (document.documentElement.dataset['frame'] === 'landing') {
  livenPassage()
  void showPrices()
  void leaveIfSignedIn()
}
