import AssayCommand

await Assay.main()
