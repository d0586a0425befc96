import { vi } from 'vitest'

// Each file loads our modules anew, because a browser's keep what they know for as long as the page lives. What npm brings stays loaded.
vi.resetModules()
