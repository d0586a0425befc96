import { z } from 'zod'

// Before any schema is made: zod would try `new Function`, which the Content-Security-Policy refuses and reports.
z.config({ jitless: true })
