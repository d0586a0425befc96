import '../ui/fonts.css'
import '../ui/tokens.css'
import '../ui/components.css'
import './app.css'
import '../me/signin/auth.css'
import '../site/fonts.css'
import '../site/site.css'
import '../site/landing.css'

// The styles of all frames of index.html come with the page, its code only where the frame that client/early.js has chosen needs it.
const { frame } = document.documentElement.dataset
if (frame === 'form' || frame === 'app') void import('./start.ts')
// A browser with an account seldom shows the form. Where it does not load, the start says so.
if (frame === 'form') import('../me/signin/AuthScreen.tsx').catch(() => undefined)
