import { z } from 'zod/v4'

// vite.config.ts puts this file in the place of `zod`, so that no schema is made before it has run: zod would try `new Function`,
// which the Content-Security-Policy refuses and reports.
z.config({ jitless: true })

export { z }
