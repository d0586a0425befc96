import { z } from 'zod'

// This must run before any schema is made: zod would try `new Function`, which the Content-Security-Policy refuses and reports.
z.config({ jitless: true })
