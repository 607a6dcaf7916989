// rtc-node logs every detail to standard output unless it is in production, and it decides that when it is loaded:
// entry points import this file first.
process.env.NODE_ENV ??= "production";
