// The development server leaves the face's module where it is, beside its worker and files.
export default { optimizeDeps: { exclude: ["@open-avatar/face"], include: ["react"] } };
